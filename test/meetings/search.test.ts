import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { meetingJson } from '../support/provider.ts';
import { type Connector, codeOf, connectedTenant, idsOf, startConnector, syncOf } from './support.ts';

const NEWEST = new Date();

const SEARCH = `query ($query: String!, $since: DateTime, $first: Int, $after: String) {
  meetingSearch(query: $query, since: $since, first: $first, after: $after) {
    edges { cursor node {
      score meeting { recorderMeetingId title }
      matches { field snippet highlights { start end } segment { index speaker startTime } }
    } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Match {
  field: string;
  snippet: string;
  highlights: { start: number; end: number }[];
  segment: { index: number; speaker: string | null; startTime: number | null } | null;
}
interface Result {
  score: number;
  meeting: { recorderMeetingId: string };
  matches: Match[];
}
interface Results {
  edges: { cursor: string; node: Result }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function search(
  app: TestApp,
  tenant: TestTenant,
  query: string,
  page: { since?: string | undefined; first?: number; after?: string | null } = {},
): Promise<Results> {
  const { body } = await app.graphql(SEARCH, { query, ...page }, tenant.read);
  if (body.errors || !body.data) throw new Error(JSON.stringify(body));
  return body.data.meetingSearch as unknown as Results;
}

const found = async (app: TestApp, tenant: TestTenant, query: string): Promise<string[]> =>
  (await search(app, tenant, query)).edges.map(({ node }) => node.meeting.recorderMeetingId);

const backlogOf = async (app: TestApp, tenant: TestTenant): Promise<number> =>
  (await app.graphql('{ meetingSearchBacklog }', {}, tenant.read)).body.data
    ?.meetingSearchBacklog as unknown as number;

/** Resolves once all stored meetings of a tenant are indexed. */
const indexed = (app: TestApp, tenant: TestTenant) =>
  eventually(async () => (await backlogOf(app, tenant)) === 0, 30_000);

/** A meeting without any word in common with the others, unless `changes` adds some; a higher index is older. */
const quiet = (index: number, id: string, changes: Partial<MeetingJson> = {}): MeetingJson => ({
  ...meetingJson(index, { newest: NEWEST }),
  id,
  title: 'Untitled',
  summary: null,
  participants: [],
  transcript: null,
  ...changes,
});
const said = (...texts: string[]) =>
  texts.map((text, index) => ({
    speaker: index % 2 === 0 ? 'Zoë' : 'Kim',
    text,
    start_time: index * 10,
    end_time: index * 10 + 9,
  }));

const MEETINGS = [
  quiet(0, 'spoken', { transcript: said('Good morning.', 'We like the harbour.', 'The harbour is large.') }),
  quiet(1, 'spokenPart', { transcript: said('Both harbours are large.') }),
  quiet(2, 'spokenOlder', { transcript: said('A harbour, again.') }),
  quiet(3, 'summaryPart', { summary: 'They compared harbours.' }),
  quiet(4, 'summary', { summary: 'They visited the harbour.' }),
  quiet(5, 'titlePart', { title: 'Harbours of the north' }),
  quiet(6, 'titleOlder', { title: 'Harbour tour', transcript: said('An introduction.') }),
  quiet(7, 'person', { participants: [{ name: 'Ann Harbour', email: 'ann.sea@example.com', role: 'host' }] }),
  quiet(8, 'folded', {
    title: 'Ｆａｃｔｏｒｙ',
    summary: 'Bürgermeister in Übersee',
    transcript: said('Das Café schließt.', 'Ask ops@Rota.example.com.'),
  }),
  quiet(10, 'emoji', {
    title: `${'😀'.repeat(50)} Emojifest ${'😀'.repeat(100)}`,
    summary: `x${'😀'.repeat(50)} Emojifest ${'😀'.repeat(100)}`,
  }),
  quiet(9, 'across', {
    title: 'Pricing',
    participants: [{ name: 'Kim', email: null, role: null }],
    summary: 'Renewal in spring.',
    transcript: said('No words here.', 'The discount expires.'),
  }),
];

let on: Connector;
let tenant: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  on = await startConnector({ meetings: MEETINGS }, { RATE_LIMIT: '60000/min' });
  tenant = await connectedTenant(on.app);
  other = await on.app.newTenant();
  await syncOf(on.app, tenant);
  await indexed(on.app, tenant);
});
afterAll(() => on.stop());

describe('meetingSearch', () => {
  test('requires authentication', async () => {
    await expectProtectedGraphQL(on.app, '{ meetingSearch(query: "x") { edges { cursor } } }', {}, []);
    await expectProtectedGraphQL(on.app, '{ meetingSearchBacklog }', {}, []);
  });

  test('ranks title and participants above summary, summary above transcript, whole words first, newest first', async () => {
    expect(await found(on.app, tenant, 'harbour')).toEqual([
      'titleOlder',
      'person',
      'titlePart',
      'summary',
      'summaryPart',
      'spoken',
      'spokenOlder',
      'spokenPart',
    ]);
  });

  test('finds only meetings that started at or after a time, transcripts included, also over pages', async () => {
    const idsSince = async (query: string, since: string | undefined) =>
      (await search(on.app, tenant, query, { since })).edges.map(
        ({ node }) => node.meeting.recorderMeetingId,
      );
    const since = MEETINGS[2]?.started_at ?? undefined;
    expect(await idsSince('harbour', since)).toEqual(['spoken', 'spokenOlder', 'spokenPart']);
    expect(await idsSince('harbour', new Date(NEWEST.getTime() + 1).toISOString())).toEqual([]);
    const first = await search(on.app, tenant, 'harbour', { since, first: 2 });
    const after = first.pageInfo.endCursor;
    const rest = await search(on.app, tenant, 'harbour', { since, first: 2, after });
    expect(rest.edges.map(({ node }) => node.meeting.recorderMeetingId)).toEqual(['spokenPart']);
    const withoutSince = await on.app.graphql(SEARCH, { query: 'harbour', after }, tenant.read);
    expect(codeOf(withoutSince)).toBe('VALIDATION_FAILED');
  });

  test.each([
    ['the beginning of a word in any field', 'harb', 8],
    ['another case', 'HARBOUR', 8],
    ['a word that is longer than all', 'harbourside', 0],
    ['the middle of a word', 'arbour', 0],
  ])('matches %s', async (_what, query, count) => {
    expect(await found(on.app, tenant, query)).toHaveLength(count);
  });

  test.each([
    ['words of all fields', 'pric kim renewal disc', ['across']],
    ['a word that is missing', 'pricing harbour', []],
    ['folded text', 'factory BURGERM ubersee cafe', ['folded']],
    ['an email address in a transcript', 'ops@rota.example.com', ['folded']],
    ['the beginning of an email address', 'ann.sea@ex', ['person']],
    ['a part of an email address', 'sea harb', ['person']],
    ['two characters, outside of transcripts', 'ki', ['across']],
    ['two characters, as a word of a transcript', 'no', ['across', 'titlePart']],
    ['one character', 'k', ['across']],
    ['operators', '{"$gt":""} ^.*', []],
    ['only punctuation', '"-" $ {}', []],
  ])('matches %s', async (_what, query, ids) => {
    expect((await found(on.app, tenant, query)).toSorted()).toEqual(ids.toSorted());
  });

  test('returns the first matching segment with its speaker and time', async () => {
    const { edges } = await search(on.app, tenant, 'harb large');
    expect(edges[0]?.node).toEqual({
      score: 3,
      meeting: { recorderMeetingId: 'spoken', title: 'Untitled' },
      matches: [
        {
          field: 'transcript',
          snippet: 'We like the harbour.',
          highlights: [{ start: 12, end: 19 }],
          segment: { index: 1, speaker: 'Kim', startTime: 10 },
        },
        {
          field: 'transcript',
          snippet: 'The harbour is large.',
          highlights: [
            { start: 4, end: 11 },
            { start: 15, end: 20 },
          ],
          segment: { index: 2, speaker: 'Zoë', startTime: 20 },
        },
      ],
    });
  });

  test('returns the matching places of title, participants and summary', async () => {
    const matches = (await search(on.app, tenant, 'pric kim renewal disc')).edges[0]?.node.matches ?? [];
    expect(matches.map(({ field, snippet }) => [field, snippet])).toEqual([
      ['title', 'Pricing'],
      ['participant', 'Kim'],
      ['summary', 'Renewal in spring.'],
      ['transcript', 'The discount expires.'],
    ]);
    const [folded] = (await search(on.app, tenant, 'cafe')).edges;
    const match = folded?.node.matches[0];
    expect(match?.highlights.map(({ start, end }) => match.snippet.slice(start, end))).toEqual(['Café']);
  });

  test('cuts snippets between characters, with positions in UTF-16 code units', async () => {
    const [edge] = (await search(on.app, tenant, 'emojifest')).edges;
    for (const { snippet, highlights } of edge?.node.matches ?? []) {
      expect(snippet).not.toContain('\ufffd');
      expect(snippet.isWellFormed()).toBe(true);
      expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual(['Emojifest']);
    }
    expect(edge?.node.matches).toHaveLength(2);
  });

  test('finds no meetings of another tenant', async () => {
    expect(await found(on.app, other, 'harbour')).toEqual([]);
    const filled = await connectedTenant(on.app);
    await syncOf(on.app, filled);
    await indexed(on.app, filled);
    expect(await found(on.app, filled, 'harbour')).toHaveLength(8);
    expect(await found(on.app, tenant, 'harbour')).toHaveLength(8);
  });

  test('is paged', async () => {
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const { edges, pageInfo } = await search(on.app, tenant, 'harb', { first: 3, after });
      ids.push(...edges.map(({ node }) => node.meeting.recorderMeetingId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(ids).toEqual(await found(on.app, tenant, 'harb'));
    expect(ids).toHaveLength(8);
  });

  test.each(['', 'x'.repeat(501)])('rejects the query %j', async (query) => {
    expect(codeOf(await on.app.graphql(SEARCH, { query }, tenant.read))).toBe('VALIDATION_FAILED');
  });

  test('rejects a cursor of another query', async () => {
    const after = (await search(on.app, tenant, 'harbour')).edges[0]?.cursor;
    for (const cursor of [after, 'garbage'])
      expect(codeOf(await on.app.graphql(SEARCH, { query: 'harb', after: cursor }, tenant.read))).toBe(
        'VALIDATION_FAILED',
      );
  });

  test('answers a query of many words', async () => {
    const query = Array.from({ length: 60 }, (_, n) => `harbo${n}`)
      .join(' ')
      .slice(0, 500);
    expect(await found(on.app, tenant, query)).toEqual([]);
    expect(await found(on.app, tenant, 'h '.repeat(250).trim())).not.toEqual([]);
  });

  test.each([
    ['spaces', ' ', 4],
    ['hyphens', '-', 4],
    ['letters, as one word', 'x', 1],
  ])('is charged by the words that are searched for, between %s', async (_what, separator, points) => {
    const left = async (query: string) => {
      const fields = ['a', 'b', 'c', 'd', 'e'].map(
        (alias) => `${alias}: meetingSearch(query: $query, first: 1) { edges { cursor } }`,
      );
      const document = `query ($query: String!) { ${fields.join(' ')} }`;
      const { headers } = await on.app.graphql(document, { query }, tenant.read);
      return Number(headers.get('ratelimit-remaining'));
    };
    const words = Array.from({ length: 20 }, (_, index) => `word${index}`);
    const before = await left('word');
    expect(before - (await left(words.join(separator)))).toBe(points);
  });
});

describe('meetings', () => {
  test('are found by beginnings of words outside of transcripts, newest first', async () => {
    expect(await idsOf(on.app, tenant, { search: 'harb' })).toEqual([
      'summaryPart',
      'summary',
      'titlePart',
      'titleOlder',
      'person',
    ]);
    expect(await idsOf(on.app, tenant, { search: 'harb visi' })).toEqual(['summary']);
    expect(await idsOf(on.app, tenant, { search: 'discount' })).toEqual([]);
  });

  test('are searched at the cost of a large read', async () => {
    const left = async (search: string | null) => {
      const document = 'query ($search: String) { meetings(search: $search, first: 1) { edges { cursor } } }';
      const { headers } = await on.app.graphql(document, { search }, tenant.read);
      return Number(headers.get('ratelimit-remaining'));
    };
    const before = await left(null);
    expect(before - (await left('harb'))).toBe(5);
  });
});

describe('a meeting that changes', () => {
  let changing: Connector;
  let owner: TestTenant;
  let meetings: MeetingJson[];

  beforeAll(async () => {
    changing = await startConnector({ meetings: [] });
    meetings = changing.provider.meetings as unknown as MeetingJson[];
  });
  afterAll(() => changing.stop());
  beforeEach(async () => {
    const initial = Array.from({ length: 5 }, (_, index) =>
      quiet(index, `c${index}`, { title: `Lighthouse ${index}`, transcript: said('Seagulls cry.') }),
    );
    meetings.splice(0, meetings.length, ...initial);
    owner = await connectedTenant(changing.app);
    await syncOf(changing.app, owner);
    await indexed(changing.app, owner);
  });

  const ordinals = async (): Promise<unknown[]> =>
    (await changing.app.models.Meeting.find({ customerId: owner.customerId }).sort({ order: -1 }).lean()).map(
      ({ indexedAs }) => indexedAs,
    );

  test('is found by its new content only', async () => {
    meetings[1] = { ...(meetings[1] as MeetingJson), title: 'Breakwater', transcript: said('Waves roll.') };
    const before = await ordinals();
    await syncOf(changing.app, owner);
    await indexed(changing.app, owner);
    expect(await found(changing.app, owner, 'lighthouse')).toEqual(['c0', 'c2', 'c3', 'c4']);
    expect(await found(changing.app, owner, 'seagulls')).toEqual(['c0', 'c2', 'c3', 'c4']);
    expect(await found(changing.app, owner, 'break waves')).toEqual(['c1']);
    // The others are not indexed again.
    const after = await ordinals();
    expect(after.filter((ordinal, index) => ordinal !== before[index])).toHaveLength(1);
  });

  test('does not shift the pages of a search that is being read', async () => {
    const first = await search(changing.app, owner, 'lighthouse', { first: 2 });
    meetings.unshift(quiet(-1, 'added', { title: 'Lighthouse' }));
    await syncOf(changing.app, owner);
    await indexed(changing.app, owner);
    const rest = await search(changing.app, owner, 'lighthouse', { after: first.pageInfo.endCursor });
    expect(rest.edges.map(({ node }) => node.meeting.recorderMeetingId)).toEqual(['c2', 'c3', 'c4']);
    expect((await found(changing.app, owner, 'lighthouse'))[0]).toBe('added');
  });

  test('is hidden as soon as its transcript is replaced, even if the process dies before the rest', async () => {
    const { Meeting } = changing.app.models;
    const last = meetings.at(-1) as MeetingJson;
    meetings[meetings.length - 1] = { ...last, transcript: said('Foghorn sounds.') };
    // The state that a crash leaves: hidden, with postings, and with the previous content.
    await Meeting.updateOne(
      { customerId: owner.customerId, recorderMeetingId: 'c4' },
      { $unset: { indexedAs: 1 } },
    );
    expect(await found(changing.app, owner, 'seagulls')).toEqual(['c0', 'c1', 'c2', 'c3']);
    await syncOf(changing.app, owner);
    await indexed(changing.app, owner);
    expect(await found(changing.app, owner, 'foghorn')).toEqual(['c4']);
    expect(await found(changing.app, owner, 'seagulls')).toEqual(['c0', 'c1', 'c2', 'c3']);
  });

  test('is not found once it is deleted', async () => {
    await changing.app.models.Meeting.deleteOne({ customerId: owner.customerId, recorderMeetingId: 'c0' });
    expect(await found(changing.app, owner, 'seagulls')).toEqual(['c1', 'c2', 'c3', 'c4']);
  });
});

test('meetings of an earlier build are indexed after the start', async () => {
  const MONGODB_URI = freshDatabase();
  const api = await startApp({ MONGODB_URI, ROLE: 'api' });
  const owner = await api.newTenant();
  const { Meeting, MeetingTranscript } = api.models;
  const key = { _id: `${owner.customerId}:old`, customerId: owner.customerId };
  await Meeting.collection.insertOne({
    ...key,
    recorderMeetingId: 'old',
    title: 'Harbour',
    startedAt: NEWEST,
    endedAt: null,
    participantsJson: [],
    summaryText: null,
    sentimentScore: null,
    createdAt: NEWEST,
    awaitingTranscript: false,
    terms: ['harbour'],
    order: '0'.repeat(37),
    storedBy: '',
  } as never);
  const transcriptJson = JSON.stringify([
    { speaker: null, text: 'Seagulls cry.', startTime: 1.5, endTime: null },
  ]);
  await MeetingTranscript.collection.insertOne({ ...key, transcriptJson } as never);
  expect(await backlogOf(api, owner)).toBe(1);
  expect(await found(api, owner, 'harbour')).toEqual([]);
  const worker = await startApp({ MONGODB_URI, DRIFT_CHECK_SCHEDULE: 'off' });
  try {
    await indexed(api, owner);
    expect(await found(api, owner, 'seag harb')).toEqual(['old']);
  } finally {
    await worker.stop();
    await api.stop();
  }
});
