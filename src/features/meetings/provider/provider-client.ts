import { parsePage } from './page-parser.ts';
import { pageUrl } from './page-urls.ts';
import { type Provider, ProviderError } from './provider.types.ts';
import { type CallDeps, createCalls } from './provider-calls.ts';
import { PROVIDER_KEY_PATTERN } from './provider-key.ts';

interface Deps extends CallDeps {
  /** `RECORDER_API_URL`, without a trailing slash. */
  baseUrl: string;
}

/** Creates the client of the meeting-recording provider. Its outbound client must admit `MAX_WIRE_BYTES`. */
export function createProvider({ baseUrl, ...deps }: Deps): Provider {
  const call = createCalls(deps);

  function requireToken(apiKey: string): string {
    if (apiKey !== '' && PROVIDER_KEY_PATTERN.test(apiKey)) return apiKey;
    throw new ProviderError('key_invalid', 'The API key contains characters that no key has.');
  }

  return {
    async checkKey(apiKey, options) {
      // Only the 200 counts (specification); the body is not read.
      const url = new URL(`${baseUrl}/user`);
      await call({ apiKey: requireToken(apiKey), url, parse: () => true }, options);
    },
    async meetings(apiKey, request, options) {
      const url = pageUrl(baseUrl, request);
      return call({ apiKey: requireToken(apiKey), url, parse: (body) => parsePage(body, url) }, options);
    },
  };
}
