import { type Continuation, type PageRequest, ProviderError } from './provider.types.ts';

/** Meetings of a page (specification, "Limits"). */
const PAGE_SIZE = 50;

/**
 * The address of a page. A cursor goes with the query of the first page; a `next` is followed as it is.
 * @throws ProviderError `foreign_next` for another origin than the base URL's: what is asked there gets the key
 */
export function pageUrl(baseUrl: string, { since, after }: PageRequest): URL {
  const listing = new URL(`${baseUrl}/meetings`);
  if (after?.kind === 'next') return ownUrl(after.value, listing);
  listing.searchParams.set('since', since.toISOString());
  listing.searchParams.set('limit', String(PAGE_SIZE));
  if (after) listing.searchParams.set('cursor', after.value);
  return listing;
}

function ownUrl(value: string, listing: URL): URL {
  const next = new URL(value, listing);
  // Not by `origin`: that of `blob:http://host/` is `http://host`.
  if (next.protocol === listing.protocol && next.host === listing.host) return next;
  throw new ProviderError('foreign_next', 'The provider sent a `next` on another origin.');
}

/**
 * What a page says of the next one; `next` wins over `next_cursor`. Null: it was the last. Where it leads is
 * checked when it is followed, which may be by another process after a change of `RECORDER_API_URL`.
 *
 * @param url where the page came from: what a relative `next` is relative to
 * @throws ProviderError `bad_answer` for a `next` that is no address
 */
export function continuationOf(next: string | null, cursor: string | null, url: URL): Continuation | null {
  if (!next) return cursor ? { kind: 'cursor', value: cursor } : null;
  const address = URL.parse(next, url);
  if (!address) throw new ProviderError('bad_answer', "The provider's `next` is no address.");
  // Addresses that ask for the same are the same: a listing that goes in circles is known by that.
  address.username = '';
  address.password = '';
  address.hash = '';
  return { kind: 'next', value: address.href };
}
