import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordQueries } from '../conversations/queries.ts';
import { eventually, type TestTenant } from '../support/app.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { meetingJson } from '../support/provider.ts';
import {
  activitiesOf,
  type Connector,
  codeOf,
  connectedTenant,
  idsOf,
  meetingOf,
  meetingsOf,
  startConnector,
  syncOf,
} from './support.ts';

const COUNT = 130;
const NEWEST = new Date();

/** Meetings that a search tells apart; newer ones than all others. */
const SPECIAL = [
  {
    ...meetingJson(0, { newest: NEWEST }),
    id: 'umlaut',
    title: 'Bürgermeister – "Überblick" (café)',
    summary: 'Quarterly review; -discount 10%. Ask ops@rota.example.com about it.',
    participants: [{ name: 'Zoë Quitely', email: 'Zoe.Quitely+crm@Example.org', role: 'host' }],
  },
  {
    ...meetingJson(1, { newest: NEWEST }),
    id: 'bare',
    title: null,
    summary: null,
    participants: null,
    transcript: null,
    duration_seconds: null,
    started_at: null,
  },
];

let on: Connector;
let tenant: TestTenant;

beforeAll(async () => {
  const many = Array.from({ length: COUNT }, (_, index) => meetingJson(index + 2, { newest: NEWEST }));
  on = await startConnector({ meetings: [...SPECIAL, ...many] });
  tenant = await connectedTenant(on.app);
  // Another tenant's, with the same ids.
  await syncOf(on.app, await connectedTenant(on.app));
  expect((await syncOf(on.app, tenant)).stored).toBe(COUNT + 2);
});
afterAll(() => on.stop());

const ALL = ['umlaut', 'bare', ...Array.from({ length: COUNT }, (_, index) => `m${index + 2}`)];

describe('meeting', () => {
  test('requires authentication', async () => {
    await expectProtectedGraphQL(on.app, '{ meeting(recorderMeetingId: "m2") { title } }', {}, []);
    await expectProtectedGraphQL(on.app, '{ meetings { edges { cursor } } }', {}, []);
    await expectProtectedGraphQL(on.app, '{ meetingActivities { edges { cursor } } }', {}, []);
  });

  test('has every field of the provider', async () => {
    const source = meetingJson(4, { newest: NEWEST });
    const endedAt = new Date(Date.parse(source.created_at) + 1_804_000).toISOString();
    expect(await meetingOf(on.app, tenant, 'm4')).toEqual({
      recorderMeetingId: 'm4',
      title: 'Meeting 4',
      startedAt: source.created_at,
      endedAt,
      participantsJson: [
        { name: 'Guest 4', email: null, role: 'guest' },
        { name: 'Host', email: null, role: 'host' },
      ],
      transcriptJson: [
        { speaker: 'Host', text: 'What was said as number 0 of meeting 4.', startTime: 0, endTime: 4.5 },
        { speaker: 'Guest 4', text: 'What was said as number 1 of meeting 4.', startTime: 5, endTime: 9.5 },
      ],
      summaryText: 'They met as number 4.',
      sentimentScore: null,
      deletedAt: null,
      warnings: [],
    });
  });

  test('has nulls for missing fields', async () => {
    expect(await meetingOf(on.app, tenant, 'bare')).toEqual({
      recorderMeetingId: 'bare',
      title: null,
      startedAt: meetingJson(1, { newest: NEWEST }).created_at,
      endedAt: null,
      participantsJson: [],
      transcriptJson: null,
      summaryText: null,
      sentimentScore: null,
      deletedAt: null,
      warnings: [],
    });
  });

  test('is null if unknown', async () => {
    for (const id of ['nothing', `${tenant.customerId}:m4`, '{"$gt":""}'])
      expect(await meetingOf(on.app, tenant, id)).toBeNull();
  });
});

describe('meetings', () => {
  test('are paged, newest first', async () => {
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const { edges, pageInfo } = await meetingsOf(on.app, tenant, { first: 50, after });
      ids.push(...edges.map(({ node }) => node.recorderMeetingId));
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) break;
    }
    expect(ids).toEqual(ALL);
  });

  test('can be filtered by start time', async () => {
    const since = meetingJson(10, { newest: NEWEST }).created_at;
    expect(await idsOf(on.app, tenant, { since })).toEqual(ALL.slice(0, 11));
    expect(await idsOf(on.app, tenant, { since, search: 'meeting' })).toEqual(ALL.slice(2, 11));
  });

  test('reject a cursor of other filters, or of another list', async () => {
    const { edges } = await meetingsOf(on.app, tenant, { search: 'meeting' });
    const query = 'query ($after: String) { meetings(after: $after) { edges { cursor } } }';
    for (const after of [edges[0]?.cursor, 'garbage', (await activitiesOf(on.app, tenant)).edges[0]?.cursor])
      expect(codeOf(await on.app.graphql(query, { after }, tenant.read))).toBe('VALIDATION_FAILED');
  });

  test('with their transcripts can be read eight at a time', async () => {
    // The indexer reads transcripts as well.
    const unindexed = () => on.app.models.Meeting.countDocuments({ indexedAs: null });
    await eventually(async () => (await unindexed()) === 0, 60_000);
    const batchedReads = { 'command.filter._id.$in': { $exists: true } };
    const query = '{ meetings { edges { node { recorderMeetingId transcriptJson { text } } } } }';
    // On a busy machine, not all eight reads begin before their query does, which leaves further ones.
    await eventually(async () => {
      const queries = await recordQueries(on.app, 'meetingTranscripts', batchedReads);
      const { body } = await on.app.graphql(query, {}, tenant.read);
      const edges = body.data?.meetings?.edges as unknown as { node: { transcriptJson: unknown[] | null } }[];
      const lengths = edges.map(({ node }) => node.transcriptJson?.length ?? null);
      expect(lengths).toEqual([2, null, ...Array(48).fill(2)]);
      const returned = (await queries.stop()).map((read) => read.returned);
      expect(Math.max(...returned)).toBeLessThanOrEqual(8);
      // One meeting has no transcript.
      expect(returned.reduce((sum, count) => sum + count, 0)).toBe(49);
      expect(returned.length).toBeLessThanOrEqual(Math.ceil(50 / 8));
      return true;
    });
  });

  test('with too many transcripts are rejected', async () => {
    const query = `{ meetings(first: 100) { edges { node { transcriptJson { speaker text startTime endTime } } } } }`;
    expect(codeOf(await on.app.graphql(query, {}, tenant.read))).toBe('BAD_REQUEST');
  });
});

describe('a search', () => {
  test.each([
    ['a word of the title', 'bürgermeister', ['umlaut']],
    ['without accents, in another case', 'UBERBLICK cafe', ['umlaut']],
    ['a word of the summary', 'quarterly', ['umlaut']],
    ['a name', 'zoe quitely', ['umlaut']],
    ['words of different fields, in any order', 'zoë review überblick', ['umlaut']],
    ['an e-mail address, as a whole', 'zoe.quitely+crm@example.org', ['umlaut']],
    ['an e-mail address of the summary', 'OPS@rota.example.com', ['umlaut']],
    ['a part of an e-mail address', 'example.org', ['umlaut']],
    ['signs that are operators elsewhere', '"quarterly" -discount', ['umlaut']],
    ['words that no meeting has together', 'quarterly 17', []],
    ['the middle of a word', 'uarter', []],
    ['another e-mail address', 'quitely@example.org', []],
    ['only punctuation', '"-" $ {}', []],
    ['an operator', '{"$gt":""}', []],
  ])('for %s', async (_what, search, ids) => {
    expect(await idsOf(on.app, tenant, { search })).toEqual(ids);
  });

  test('does not search transcripts', async () => {
    expect(await idsOf(on.app, tenant, { search: 'said' })).toEqual([]);
  });

  test.each(['', 'x'.repeat(501)])('for %j is rejected', async (search) => {
    const query = 'query ($search: String) { meetings(search: $search) { edges { cursor } } }';
    expect(codeOf(await on.app.graphql(query, { search }, tenant.read))).toBe('VALIDATION_FAILED');
  });

  test('is paged, newest first', async () => {
    const first = await meetingsOf(on.app, tenant, { search: 'guest', first: 100 });
    expect(first.edges.map(({ node }) => node.recorderMeetingId)).toEqual(ALL.slice(2, 102));
    const after = first.pageInfo.endCursor;
    expect(await idsOf(on.app, tenant, { search: 'guest', first: 100, after })).toEqual(ALL.slice(102));
  });
});

describe('activities', () => {
  test('are paged, newest first, and can be filtered by person', async () => {
    const first = await activitiesOf(on.app, tenant, { first: 100 });
    const { edges, pageInfo } = await activitiesOf(on.app, tenant, {
      first: 100,
      after: first.pageInfo.endCursor,
    });
    const ids = [...first.edges, ...edges].map(({ node }) => node.externalId);
    expect(ids).toEqual(ALL.map((id) => `recorder_${id}`));
    expect(pageInfo.hasNextPage).toBe(false);
    const person = { personExternalId: 'guest.7@example.com' };
    expect((await activitiesOf(on.app, tenant, person)).edges.map(({ node }) => node.externalId)).toEqual([
      'recorder_m7',
    ]);
  });
});

describe('every list is read from its index in order', () => {
  test.each([
    ['meetings', 'meetings', {}],
    [
      'meetings since a time',
      'meetings',
      { since: new Date(NEWEST.getTime() - 40 * 3_600_000).toISOString() },
    ],
    ['a search', 'meetings', { search: 'guest' }],
    ['activities', 'meetingActivities', {}],
    ['activities of a person', 'meetingActivities', { personExternalId: 'host@example.com' }],
  ] as const)('%s', async (_what, collection, variables) => {
    const list = collection === 'meetings' ? meetingsOf : activitiesOf;
    const queries = await recordQueries(on.app, collection);
    const { pageInfo } = await list(on.app, tenant, { ...variables, first: 20 });
    await list(on.app, tenant, { ...variables, first: 20, after: pageInfo.endCursor });
    const recorded = await queries.stop();
    // Two pages; encrypted activities of a person are found beside plain ones.
    expect(recorded).toHaveLength(IS_ENCRYPTED && 'personExternalId' in variables ? 4 : 2);
    for (const { keysExamined, docsExamined, returned, indexes, sorts } of recorded) {
      expect(indexes).toHaveLength(1);
      expect(indexes[0]).toMatch(/^customerId_1_.*order_-1$/);
      expect(keysExamined).toBeLessThanOrEqual(1.1 * returned + 2);
      // For the hashed and the plain form of a word that most meetings have, the database may scan all in order.
      if (IS_ENCRYPTED && 'search' in variables) expect(docsExamined).toBeLessThanOrEqual(keysExamined);
      else expect(docsExamined).toBe(returned);
      expect(sorts).toBe(false);
    }
  });
});
