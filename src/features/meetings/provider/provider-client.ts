import type { Config } from '../../../config/config.ts';
import type { Models } from '../../../database/models.ts';
import { createOutboundClient, type OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import type { OutboundProxy } from '../../../outbound/proxy.ts';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Cipher } from '../../../platform/cipher.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isObject } from '../../../platform/is-object.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { ListingEndpoint, ProviderAdapter, ProviderEndpoint } from './adapters/adapter.types.ts';
import { adapterOf } from './adapters/adapter-registry.ts';
import { createPacing } from './pacing.ts';
import { parsePage, parseSingle } from './page-parser.ts';
import {
  type PageRequest,
  PROVIDER_KEY_PATTERN,
  type Provider,
  ProviderError,
  type ProviderObserver,
  type ProviderPage,
} from './provider.types.ts';
import { type CallDeps, createCalls, MAX_WIRE_BYTES } from './provider-calls.ts';

/** Pages read to find one meeting in the list. */
const MAX_PAGES_FOR_ONE = 20;
/** Margin around a meeting's creation time, because a provider may truncate times to seconds. */
const AROUND_MS = 1_000;

interface Deps extends CallDeps {
  adapter: ProviderAdapter;
  /** `RECORDER_API_URL`, without a trailing slash. */
  baseUrl: string;
}

/**
 * Returns the URL of a page: the provider's `next` URL, or the query of the first page with the cursor added.
 *
 * @throws ProviderError `foreign_next` for a `next` on another origin, which must not receive the key
 */
function pageUrl(
  baseUrl: string,
  { path, query, changesQuery, cursorParameter }: ListingEndpoint,
  { since, until = null, byChange = false, after }: PageRequest,
): URL {
  const listing = new URL(`${baseUrl}${path}`);
  if (after?.type === 'next') return sameOriginUrl(after.value, listing);
  const first = byChange && changesQuery ? changesQuery({ since }) : query({ since, until });
  for (const [name, value] of Object.entries(first)) listing.searchParams.set(name, value);
  if (after) listing.searchParams.set(cursorParameter, after.value);
  return listing;
}

function sameOriginUrl(value: string, listing: URL): URL {
  const next = new URL(value, listing);
  // `origin` would not do: for `blob:http://host/` it is `http://host`.
  if (next.protocol === listing.protocol && next.host === listing.host) return next;
  throw new ProviderError('foreign_next', 'The provider returned a `next` on another origin.');
}

/** Creates the client of a meeting provider. Its outbound client must accept `MAX_WIRE_BYTES`. */
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
    noticeOf: (body) => (isObject(body) ? adapter.noticeOf(body) : null),
  };
}

/** Returns `succeeded`, `rate_limited`, another status class such as `http_4xx`, or the transport error. */
function requestOutcome(result: OutboundResult): string {
  if (!result.ok) return result.error;
  if (result.status === 429) return 'rate_limited';
  const statusClass = Math.floor(result.status / 100);
  if (statusClass === 2) return 'succeeded';
  return statusClass <= 5 ? `http_${statusClass}xx` : 'other';
}

interface ProviderDeps {
  models: Models;
  cipher: Cipher;
  clock: Clock;
  wait: Wait;
  observer: ProviderObserver;
  proxy: OutboundProxy | null;
  log: Logger;
  config: Pick<Config, 'recorderProvider' | 'recorderApiUrl' | 'connectorPacingMs'>;
}

/** Opens the provider at `RECORDER_API_URL` with its own outbound client; null if the variable is unset. */
export function openProvider({ models, cipher, clock, wait, observer, proxy, log, config }: ProviderDeps): {
  provider: Provider | null;
  close(graceMs: number): Promise<void>;
} {
  if (config.recorderApiUrl === null) return { provider: null, close: async () => {} };
  const client = createOutboundClient({ allowPrivate: true, maxWireBytes: MAX_WIRE_BYTES, proxy });
  const outbound: OutboundClient = {
    ...client,
    async send(request) {
      const result = await client.send(request);
      observer.onProviderRequest({ outcome: requestOutcome(result) });
      return result;
    },
  };
  const pacing = createPacing({
    ProviderPacing: models.ProviderPacing,
    pacingMs: config.connectorPacingMs,
    wait,
    cipher,
  });
  return {
    provider: createProvider({
      adapter: adapterOf(config.recorderProvider),
      baseUrl: config.recorderApiUrl,
      outbound,
      pacing,
      clock,
      wait,
      log,
    }),
    close: (graceMs) => outbound.close(graceMs),
  };
}
