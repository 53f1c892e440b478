import type { ProviderAdapter, ProviderEndpoint } from './adapters/adapter.types.ts';
import { parsePage, parseSingle } from './page-parser.ts';
import { pageUrl } from './page-urls.ts';
import { type PageRequest, type Provider, ProviderError, type ProviderPage } from './provider.types.ts';
import { type CallDeps, createCalls } from './provider-calls.ts';
import { PROVIDER_KEY_PATTERN } from './provider-key.ts';
import { isRecord } from './record-reader.ts';

/** Pages that are read to find one meeting in the listing. */
const MAX_PAGES_FOR_ONE = 20;
/** Time range around the creation time of one meeting: a provider may truncate times to seconds. */
const AROUND_MS = 1_000;

interface Deps extends CallDeps {
  adapter: ProviderAdapter;
  /** `RECORDER_API_URL`, without a trailing slash. */
  baseUrl: string;
}

/** Creates the client of the meeting-recording provider. Its outbound client must admit `MAX_WIRE_BYTES`. */
export function createProvider({ adapter, baseUrl, ...deps }: Deps): Provider {
  const call = createCalls(deps);
  const { listing, keyChecks, single } = adapter;

  const requestOf = (apiKey: string, { endpointClass }: Pick<ProviderEndpoint, 'endpointClass'>) => ({
    apiKey: requireToken(apiKey),
    authentication: adapter.authentication(apiKey),
    endpointClass,
  });

  function requireToken(apiKey: string): string {
    if (apiKey !== '' && PROVIDER_KEY_PATTERN.test(apiKey)) return apiKey;
    throw new ProviderError('key_invalid', 'The API key contains characters that no key has.');
  }

  const meetings: Provider['meetings'] = async (apiKey, request, options) => {
    const url = pageUrl(baseUrl, listing, request);
    return call(
      { ...requestOf(apiKey, listing), url, parse: (body) => parsePage(body, { url, adapter }) },
      options,
    );
  };

  return {
    listsOldestFirst: listing.isOldestFirst,
    listsChanges: listing.changesQuery !== null,
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
    meetings,
    async meeting(apiKey, { id, createdAt }, options) {
      if (single) {
        const url = new URL(`${baseUrl}${single.path(encodeURIComponent(id))}`);
        for (const [name, value] of Object.entries(single.query)) url.searchParams.set(name, value);
        const parse = (body: string) => parseSingle(body, adapter);
        const absent = { found: null };
        return (await call({ ...requestOf(apiKey, single), url, parse, absent }, options)).found;
      }
      const since = new Date(createdAt.getTime() - AROUND_MS);
      const until = new Date(createdAt.getTime() + AROUND_MS);
      let after: PageRequest['after'] = null;
      for (let pages = 0; pages < MAX_PAGES_FOR_ONE; pages += 1) {
        const page: ProviderPage = await meetings(apiKey, { since, until, after }, options);
        const found = page.meetings.findLast((meeting) => meeting.id === id);
        if (found || page.next === null) return found ?? null;
        after = page.next;
      }
      return null;
    },
    noticeOf: (body) => (isRecord(body) ? adapter.noticeOf(body) : null),
  };
}
