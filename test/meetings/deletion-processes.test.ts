import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { meetingJson } from '../support/provider.ts';
import { BACKFILL, type LogEntry } from './backfill-support.ts';
import { ask, processesBesideProvider } from './process-support.ts';
import { API_KEY, CONNECT, type Rows, type Run } from './support.ts';

const COUNT = 120;
const PAGES = 3;
const REMOVED = ['m30', 'm80'];
const ALL = { fullResync: true };
const RUNS = `{ meetingSyncRuns { edges { node {
  id status pages fetched stored log(first: 100) { edges { node { type count } } }
} } } }`;

type LoggedRun = Run & { log: Rows<LogEntry> };

test.each([
  { when: 'before the first page of the second reading', pagesOfRun: PAGES },
  { when: 'within the second reading', pagesOfRun: PAGES + 1 },
])(
  'a comparison whose process is killed $when is concluded by another one',
  async ({ pagesOfRun }) => {
    const meetings = Array.from({ length: COUNT }, (_, index) => meetingJson(index));
    const { provider, models, start, newKey } = await processesBesideProvider({ meetings });
    const first = await start();
    const key = await newKey(7);
    const runAt = async (process: typeof first, id: string) => {
      const { edges } = await ask<Rows<LoggedRun>>(process, key, RUNS);
      return edges.map(({ node }) => node).find((run) => run.id === id);
    };
    const runEnded = (process: typeof first, id: string) =>
      eventually(async () => {
        const run = await runAt(process, id);
        return run?.status !== 'running' && run;
      }, 60_000);
    /** The entries of the log about missing meetings, oldest first. */
    const missingLogged = (run: LoggedRun | undefined) =>
      (run?.log.edges ?? [])
        .map(({ node: { type, count } }) => ({ type, count }))
        .filter(({ type }) => ['recounted', 'deletions', 'deletions_refused'].includes(type))
        .reverse();
    await ask(first, key, CONNECT, { apiKey: API_KEY });
    const { id: initial } = await ask<Run>(first, key, BACKFILL, ALL);
    expect(await runEnded(first, initial)).toMatchObject({ status: 'succeeded', stored: COUNT });

    const remaining = meetings.filter(({ id }) => !REMOVED.includes(String(id)));
    meetings.splice(0, COUNT, ...remaining);
    const asked = provider.requests.length;
    provider.behave((_request, index) => (index - asked < pagesOfRun ? 'well' : 'hang'));
    const { id } = await ask<Run>(first, key, BACKFILL, ALL);
    await provider.waitFor(asked + pagesOfRun + 1);
    // The log is written in the background.
    await eventually(async () => missingLogged(await runAt(first, id)).length === 1);
    await first.end('SIGKILL');
    const [half] = await models.MeetingSyncRun.find({ status: 'running' }).lean();
    expect(half).toMatchObject({ pages: pagesOfRun, comparison: { reading: 2, fetchedBefore: COUNT - 2 } });
    expect(await models.Meeting.countDocuments({ deletedAt: { $ne: null } })).toBe(0);

    provider.behave('well');
    const continued = provider.requests.length;
    const second = await start();
    const run = await runEnded(second, id);
    expect(run).toMatchObject({ status: 'succeeded', pages: 2 * PAGES, fetched: 2 * (COUNT - 2), stored: 0 });
    // It does not begin the comparison again.
    expect(provider.requests.length - continued).toBe(2 * PAGES - pagesOfRun);
    expect(missingLogged(run)).toEqual([
      { type: 'recounted', count: REMOVED.length },
      { type: 'deletions', count: REMOVED.length },
    ]);
    const deleted = await models.Meeting.distinct('recorderMeetingId', { deletedAt: { $ne: null } });
    expect(deleted.toSorted()).toEqual(REMOVED);
    expect(await second.end('SIGTERM')).toBe(0);
  },
  120_000,
);
