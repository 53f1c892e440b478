import type { MeetingJson } from '../../../src/demo/provider/meeting-json.ts';
import { refuse } from '../../../src/demo/provider/provider-http.ts';
import type { TestApi, TestApiOptions } from '../../support/provider.ts';

const PAGE_SIZE = 2;

function toCall({ id, title, created_at, duration_seconds, participants, transcript, summary }: MeetingJson) {
  const people = participants?.map(({ name }) => ({ label: name }));
  const lines = transcript?.map(({ speaker, text, start_time }) => ({
    who: speaker,
    said: text,
    at: start_time,
  }));
  return {
    uuid: `acme-${id}`,
    topic: title,
    inserted: created_at,
    length: duration_seconds,
    people,
    lines,
    digest: summary,
  };
}

/** The API of the imaginary provider. */
export const acmeApi = ({ meetings, acceptsKey }: TestApiOptions): TestApi => ({
  basePath: '/v7',
  respond({ url, headers }) {
    const key = /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? 'invalid';
    if (!acceptsKey(key)) return refuse(401, 'no such token');
    if (url.pathname === '/v7/whoami') return { status: 200, body: {} };
    // Oldest first.
    const all = Array.from({ length: meetings.length }, (_, place) =>
      meetings.at(meetings.length - 1 - place),
    ).filter((meeting) => meeting !== undefined);
    const single = /^\/v7\/calls\/acme-(.+)$/.exec(url.pathname)?.[1];
    const found = all.find(({ id }) => String(id) === single);
    if (found) return { status: 200, body: toCall(found) };
    const changedFrom = url.searchParams.get('changed_from');
    const from = changedFrom ?? url.searchParams.get('from') ?? '';
    if (url.pathname !== '/v7/calls' || !/^\d+$/.test(from)) return refuse(404, 'not found');
    const timeOf = ({ changed, created_at }: MeetingJson) =>
      Date.parse(String((changedFrom !== null && changed) || created_at));
    const listed = all.filter((meeting) => timeOf(meeting) >= Number(from) * 1_000);
    const page = Number(url.searchParams.get('page') ?? 0);
    const calls = listed.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).map(toCall);
    const more = (page + 1) * PAGE_SIZE < listed.length;
    return { status: 200, body: { calls, next_page: more ? page + 1 : null } };
  },
});
