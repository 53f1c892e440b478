import type { ProviderAdapter, ProviderEndpoint } from './adapters/adapter.types.ts';
import { parsePage } from './page-parser.ts';
import { pageUrl } from './page-urls.ts';
import { type Provider, ProviderError } from './provider.types.ts';
import { type CallDeps, createCalls } from './provider-calls.ts';
import { PROVIDER_KEY_PATTERN } from './provider-key.ts';

interface Deps extends CallDeps {
  adapter: ProviderAdapter;
  /** `RECORDER_API_URL`, without a trailing slash. */
  baseUrl: string;
}

/** Creates the client of the meeting-recording provider. Its outbound client must admit `MAX_WIRE_BYTES`. */
export function createProvider({ adapter, baseUrl, ...deps }: Deps): Provider {
  const call = createCalls(deps);
  const { listing, keyChecks } = adapter;

  const requestOf = (apiKey: string, { endpointClass }: ProviderEndpoint) => ({
    apiKey: requireToken(apiKey),
    authentication: adapter.authentication(apiKey),
    endpointClass,
  });

  function requireToken(apiKey: string): string {
    if (apiKey !== '' && PROVIDER_KEY_PATTERN.test(apiKey)) return apiKey;
    throw new ProviderError('key_invalid', 'The API key contains characters that no key has.');
  }

  return {
    async checkKey(apiKey, options) {
      for (const [index, endpoint] of keyChecks.entries()) {
        const url = new URL(`${baseUrl}${endpoint.path}`);
        try {
          // Only the 200 counts (specification); the body is not read.
          await call({ ...requestOf(apiKey, endpoint), url, parse: () => true }, options);
          return;
        } catch (error) {
          const isLast = index === keyChecks.length - 1;
          if (isLast || !(error instanceof ProviderError) || error.code !== 'bad_response') throw error;
        }
      }
    },
    async meetings(apiKey, request, options) {
      const url = pageUrl(baseUrl, listing, request);
      return call(
        { ...requestOf(apiKey, listing), url, parse: (body) => parsePage(body, { url, adapter }) },
        options,
      );
    },
  };
}
