import { type Continuation, type PageRequest, ProviderError } from './provider.types.ts';

/** Meetings per page (specification, "Limits"). */
const PAGE_SIZE = 50;

/**
 * Returns the URL of a page. A cursor is added to the query of the first page; a `next` is followed as it is.
 *
 * @throws ProviderError `foreign_next` for an origin other than the base URL's, since the request carries the key
 */
export function pageUrl(baseUrl: string, { since, after }: PageRequest): URL {
  const listing = new URL(`${baseUrl}/meetings`);
  if (after?.type === 'next') return sameOriginUrl(after.value, listing);
  listing.searchParams.set('since', since.toISOString());
  listing.searchParams.set('limit', String(PAGE_SIZE));
  if (after) listing.searchParams.set('cursor', after.value);
  return listing;
}

function sameOriginUrl(value: string, listing: URL): URL {
  const next = new URL(value, listing);
  // Not by `origin`: that of `blob:http://host/` is `http://host`.
  if (next.protocol === listing.protocol && next.host === listing.host) return next;
  throw new ProviderError('foreign_next', 'The provider returned a `next` on another origin.');
}

/**
 * Returns the continuation of a page; null for the last page. `next` takes precedence over `next_cursor`. The origin
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
