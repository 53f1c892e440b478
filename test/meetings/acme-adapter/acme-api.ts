import { refuse } from '../../../src/demo/provider/provider-http.ts';
import type { TestApi, TestApiOptions } from '../../support/provider.ts';

const PAGE_SIZE = 2;

/** The API of the imaginary provider. */
export const acmeApi = ({ meetings, acceptsKey }: TestApiOptions): TestApi => ({
  basePath: '/v7',
  respond({ url, headers }) {
    const key = /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? 'invalid';
    if (!acceptsKey(key)) return refuse(401, 'no such token');
    if (url.pathname === '/v7/whoami') return { status: 200, body: {} };
    if (url.pathname !== '/v7/calls' || !/^\d+$/.test(url.searchParams.get('from') ?? ''))
      return refuse(404, 'not found');
    const page = Number(url.searchParams.get('page') ?? 0);
    const indexes = Array.from({ length: PAGE_SIZE }, (_, n) => page * PAGE_SIZE + n);
    const calls = indexes.flatMap((index) => {
      const meeting = meetings.at(index);
      if (!meeting) return [];
      const { id, title, created_at, duration_seconds, participants, transcript, summary } = meeting;
      const people = participants?.map(({ name }) => ({ label: name }));
      const lines = transcript?.map(({ speaker, text, start_time }) => ({
        who: speaker,
        said: text,
        at: start_time,
      }));
      return [
        {
          uuid: `acme-${id}`,
          topic: title,
          inserted: created_at,
          length: duration_seconds,
          people,
          lines,
          digest: summary,
        },
      ];
    });
    const more = (page + 1) * PAGE_SIZE < meetings.length;
    return { status: 200, body: { calls, next_page: more ? page + 1 : null } };
  },
});
