import type { ListingEndpoint } from './adapters/adapter.types.ts';
import { type Continuation, type PageRequest, ProviderError } from './provider.types.ts';

/**
 * Returns the URL of a page. A cursor is added to the query of the first page; a `next` is followed as it is.
 *
 * @throws ProviderError `foreign_next` for an origin other than the base URL's, since the request carries the key
 */
export function pageUrl(
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
  // Not by `origin`: that of `blob:http://host/` is `http://host`.
  if (next.protocol === listing.protocol && next.host === listing.host) return next;
  throw new ProviderError('foreign_next', 'The provider returned a `next` on another origin.');
}

/**
 * Returns the continuation of a page; null for the last page. A `next` URL takes precedence over a cursor. The origin
 * is checked when the continuation is followed, possibly by another process after a change of `RECORDER_API_URL`.
 *
 * @param page.url base of a relative `next`
 * @throws ProviderError `bad_response` for a `next` that is not a URL
 */
export function continuationOf(page: {
  next: string | null;
  cursor: string | null;
  url: URL;
}): Continuation | null {
  const { next, cursor, url } = page;
  if (!next) return cursor ? { type: 'cursor', value: cursor } : null;
  const address = URL.parse(next, url);
  if (!address) throw new ProviderError('bad_response', "The provider's `next` is not a URL.");
  // Normalized, so that a listing that repeats a page is detected.
  address.username = '';
  address.password = '';
  address.hash = '';
  return { type: 'next', value: address.href };
}
