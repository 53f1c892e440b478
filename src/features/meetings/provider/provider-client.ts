import { parsePage } from './page-parser.ts';
import { pageUrl } from './page-urls.ts';
import { type Provider, ProviderError } from './provider.types.ts';
import { type CallDeps, createCalls } from './provider-calls.ts';

interface Deps extends CallDeps {
  /** `RECORDER_API_URL`, without a slash at its end. */
  baseUrl: string;
}

/** What can be a bearer token in a header (RFC 6750); anything else would never get out. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The meeting-recording provider over HTTP. Its way out is for the operator's addresses: see `MAX_WIRE_BYTES`. */
export function createProvider({ baseUrl, ...deps }: Deps): Provider {
  const call = createCalls(deps);

  function usable(apiKey: string): string {
    if (TOKEN.test(apiKey)) return apiKey;
    throw new ProviderError('key_invalid', 'The API key has characters that no key has.');
  }

  return {
    async checkKey(apiKey, options) {
      // A 200 is all that counts (specification): what the provider tells of the user is not looked at.
      await call(usable(apiKey), new URL(`${baseUrl}/user`), () => true, options);
    },
    async meetings(apiKey, request, options) {
      const url = pageUrl(baseUrl, request);
      return call(usable(apiKey), url, (body) => parsePage(body, url), options);
    },
  };
}
