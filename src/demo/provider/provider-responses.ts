import type { MeetingJson, Meetings } from './meeting-json.ts';
import { apiKeyOf, type ProviderRequest, type ProviderResponse, refuse } from './provider-http.ts';

/** Pagination styles: a page contains the URL or the cursor of the next page. */
export const PAGINATIONS = ['next', 'cursor'] as const;
/** Possible names of the field with the meetings of a page. */
export const PAYLOADS = ['meetings', 'data'] as const;

export interface ProviderOptions {
  meetings: Meetings;
  acceptsKey: (key: string) => boolean;
  pagination: (typeof PAGINATIONS)[number];
  payload: (typeof PAYLOADS)[number];
  /** Number of last meetings of a page that the next page repeats. */
  overlap?: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Creates the handler of the standard provider: `GET /user` and `GET /meetings`. */
export function createProviderHandler({
  meetings,
  acceptsKey,
  pagination,
  payload,
  overlap = 0,
}: ProviderOptions) {
  /** Returns the page at `offset`. Meetings are newest first, so the meetings since a time are at the start. */
  function pageOf(since: number, offset: number, limit: number): { page: MeetingJson[]; more: boolean } {
    const page: MeetingJson[] = [];
    const isListed = (meeting: MeetingJson | undefined): meeting is MeetingJson =>
      meeting !== undefined && Date.parse(meeting.created_at) >= since;
    for (let index = offset; index < meetings.length && page.length < limit; index += 1) {
      const meeting = meetings.at(index);
      if (!isListed(meeting)) return { page, more: false };
      page.push(meeting);
    }
    const following = offset + page.length;
    return { page, more: following < meetings.length && isListed(meetings.at(following)) };
  }

  function list(url: URL): ProviderResponse {
    const query = url.searchParams;
    const since = query.has('since') ? Date.parse(query.get('since') ?? '') : 0;
    const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
    const offset = query.has('cursor') ? Number(/^at-(\d{1,9})$/.exec(query.get('cursor') ?? '')?.[1]) : 0;
    if (Number.isNaN(since)) return refuse(400, 'since is not a valid time');
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) return refuse(400, 'limit is not valid');
    if (Number.isNaN(offset)) return refuse(400, 'cursor is not valid');

    const { page, more } = pageOf(since, offset, limit);
    const cursor = more ? `at-${offset + page.length - overlap}` : null;
    const next = new URL(url);
    next.searchParams.set('cursor', cursor ?? '');
    const pointer = pagination === 'next' ? { next: cursor && next.href } : { next_cursor: cursor };
    return { status: 200, body: { [payload]: page, ...pointer } };
  }

  return ({ method, url, headers }: ProviderRequest): ProviderResponse => {
    const key = apiKeyOf(headers);
    if (key === null || !acceptsKey(key)) return refuse(401, 'API key is not valid');
    if (url.pathname !== '/user' && url.pathname !== '/meetings') return refuse(404, 'not found');
    if (method !== 'GET')
      return { ...refuse(405, 'method is not allowed, use GET'), headers: { allow: 'GET' } };
    if (url.pathname === '/meetings') return list(url);
    return { status: 200, body: { id: 'usr_1', name: 'Demo account', email: 'owner@rota.example.com' } };
  };
}
