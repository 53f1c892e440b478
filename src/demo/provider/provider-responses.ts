import type { MeetingJson, Meetings } from './meeting-json.ts';

/** How a provider lists its meetings; both are met with. */
export const PAGINATIONS = ['next', 'cursor'] as const;
export const PAYLOADS = ['meetings', 'data'] as const;

export interface ProviderOptions {
  meetings: Meetings;
  acceptsKey: (key: string) => boolean;
  /** A page names the next one by its whole address, or by a cursor. */
  pagination: (typeof PAGINATIONS)[number];
  /** What the list of a page is called. */
  payload: (typeof PAYLOADS)[number];
  /** Meetings at the end of a page that are at the start of the next one again. */
  overlap?: number;
}

export interface ProviderRequest {
  method: string;
  /** Absolute: a page's `next` is on the same origin. */
  url: URL;
  authorization: string | undefined;
}

export interface ProviderAnswer {
  status: number;
  headers?: Record<string, string>;
  body: Record<string, unknown>;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

const refuse = (status: number, message: string): ProviderAnswer => ({ status, body: { error: message } });

/** The key of a request; null: none. */
export const keyOf = (authorization: string | undefined): string | null =>
  /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? null;

/** What a meeting-recording provider in good health answers: `GET /user` and `GET /meetings`. */
export function createAnswers({ meetings, acceptsKey, pagination, payload, overlap = 0 }: ProviderOptions) {
  /** A page from `offset`; meetings are newest first, so those since a time are at the start. */
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

  function list(url: URL): ProviderAnswer {
    const query = url.searchParams;
    const since = query.has('since') ? Date.parse(query.get('since') ?? '') : 0;
    const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
    const offset = query.has('cursor') ? Number(/^at-(\d{1,9})$/.exec(query.get('cursor') ?? '')?.[1]) : 0;
    if (Number.isNaN(since)) return refuse(400, 'since is not a time');
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) return refuse(400, 'limit is not valid');
    if (Number.isNaN(offset)) return refuse(400, 'cursor is not valid');

    const { page, more } = pageOf(since, offset, limit);
    const cursor = more ? `at-${offset + page.length - overlap}` : null;
    const next = new URL(url);
    next.searchParams.set('cursor', cursor ?? '');
    const pointer = pagination === 'next' ? { next: cursor && next.href } : { next_cursor: cursor };
    return { status: 200, body: { [payload]: page, ...pointer } };
  }

  return ({ method, url, authorization }: ProviderRequest): ProviderAnswer => {
    const key = keyOf(authorization);
    if (key === null || !acceptsKey(key)) return refuse(401, 'the API key is not valid');
    if (url.pathname !== '/user' && url.pathname !== '/meetings')
      return refuse(404, 'there is no such thing');
    if (method !== 'GET') return { ...refuse(405, 'only GET'), headers: { allow: 'GET' } };
    if (url.pathname === '/meetings') return list(url);
    return { status: 200, body: { id: 'usr_1', name: 'Demo account', email: 'owner@rota.example.com' } };
  };
}
