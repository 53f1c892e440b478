import { type Database, openDatabase } from '../../src/database/models.ts';
import type { ProviderMeeting } from '../../src/features/meetings/provider/provider.types.ts';
import { createMeetingIndexer } from '../../src/features/meetings/search/meeting-indexer.ts';
import { searchIndexStore } from '../../src/features/meetings/search/search-index.store.ts';
import { toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../../src/features/privacy/suppression.service.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';
import { startTestMongo } from '../support/mongo.ts';
import { compared, type Figure, single } from './support/report.ts';
import { type BenchService, startService } from './support/service.ts';
import { alternate, median } from './support/stats.ts';

const MANY = { customerId: 1, count: 100_000 };
const FEW = { customerId: 2, count: 1_000 };
const SEGMENTS = 30;
const WORDS_PER_SEGMENT = 12;
const VOCABULARY = 30_000;
const STORED_AT_ONCE = 500;
const TURNS = 5;
const REQUESTS = 4;
const WARM_UP = 10;
const HOUR_MS = 3_600_000;

/** Every consonant with every vowel, so that words share their first three characters about as English words do. */
const SYLLABLES = [...'bcdfglmnprstvw'].flatMap((consonant) =>
  [...'aeiou'].map((vowel) => consonant + vowel),
);

/** Returns the word of a rank: distinct for each rank, with beginnings in common. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length] ?? '';
  return word;
}

/** Returns a generator of words, whose frequency is inverse to their rank. */
function wordSource(): (count: number) => string {
  const words = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank));
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return (count) =>
    Array.from({ length: count }, () => words[Math.floor(VOCABULARY ** random()) - 1] ?? '').join(' ');
}

function meetingOf(number: number, words: (count: number) => string, newest: number): ProviderMeeting {
  const startedAt = new Date(newest - number * HOUR_MS);
  return {
    id: `m${number}`,
    title: `Weekly ${words(3)}`,
    createdAt: startedAt,
    startedAt,
    durationSeconds: 1_800,
    participants: [{ name: `Guest ${number % 500}`, email: `guest.${number % 500}@example.com`, role: null }],
    transcriptJson: encodeTranscript(
      Array.from({ length: SEGMENTS }, (_, segment) => ({
        speaker: 'Guest',
        text: words(WORDS_PER_SEGMENT),
        startTime: segment * 60,
        endTime: segment * 60 + 59,
      })),
    ),
    summary: words(30),
    updatedAt: null,
    warnings: [],
    warningCount: 0,
    recordJson: null,
  };
}

/** Stores meetings without the indexes that would slow the insertion down, and indexes them for the search. */
async function fill({ models }: Database): Promise<number> {
  const newest = Date.now();
  const index = searchIndexStore(models, NO_ENCRYPTION);
  for (const { customerId, count } of [MANY, FEW]) {
    const words = wordSource();
    const owner = { customerId };
    for (let from = 0; from < count; from += STORED_AT_ONCE) {
      const records = Array.from({ length: STORED_AT_ONCE }, (_, position) =>
        toDocuments(owner, meetingOf(from + position, words, newest), {
          mapping: { version: 0, fields: DEFAULT_MAPPING },
          key: null,
        }),
      );
      await models.Meeting.collection.insertMany(
        records.map(({ meeting }) => ({ ...meeting, storedBy: 'bench' })) as never,
      );
      await models.MeetingTranscript.collection.insertMany(
        records.flatMap(({ transcript }) => (transcript ? [transcript] : [])) as never,
      );
    }
    await index.markPending(owner);
  }
  const indexer = createMeetingIndexer({
    index,
    suppressions: NO_SUPPRESSIONS,
    delay: { quietMs: 0, maxWaitMs: 0 },
  });
  const startedAt = performance.now();
  while (await indexer.run());
  return (performance.now() - startedAt) / (MANY.count + FEW.count);
}

const QUERIES: Record<string, string> = {
  'a frequent word': wordOf(0),
  'two frequent words': `${wordOf(0)} ${wordOf(1)}`,
  'a rare word': wordOf(20_000),
  'a beginning of three characters': wordOf(30).slice(0, 3),
  'a beginning in every title': 'week',
  'three words of all fields': `weekly guest ${wordOf(3)}`,
};

const search = `query ($query: String!) { meetingSearch(query: $query, first: 10) {
  edges { node { score meeting { recorderMeetingId title startedAt }
    matches { field snippet highlights { start end } segment { index speaker startTime } } } }
  pageInfo { hasNextPage endCursor }
} }`;
const list = `query ($query: String!) { meetings(search: $query, first: 10) {
  edges { node { recorderMeetingId title startedAt } }
} }`;

/** Returns the median duration of a request in milliseconds. */
async function durationOf(
  service: BenchService,
  key: string,
  { document, query, count }: { document: string; query: string; count: number },
): Promise<number> {
  const durations: number[] = [];
  for (let request = 0; request < count; request += 1) {
    const startedAt = performance.now();
    const body = { query: document, variables: { query } };
    const { errors } = await service.request<{ errors?: unknown }>('POST', '/graphql', key, body);
    if (errors) throw new Error(JSON.stringify(errors));
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}

/** First pages of the ranked search, with many and with few meetings of the customer. */
export async function meetingSearch(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'search' }), (started) => started.stop());
  const database = await openDatabase(mongo.uri);
  stack.defer(() => database.connection.close());
  const indexed = await fill(database);
  const { storageSize, totalIndexSize } = await database.models.MeetingPostings.collection
    .aggregate([{ $collStats: { storageStats: {} } }])
    .next()
    .then((stats) => stats?.storageStats as { storageSize: number; totalIndexSize: number });

  const service = stack.use(await startService(mongo.uri));
  const many = await service.newKey(MANY.customerId);
  const few = await service.newKey(FEW.customerId);
  const figures: Figure[] = [];
  const measure = async (name: string, document: string, query: string): Promise<void> => {
    for (const key of [many, few]) await durationOf(service, key, { document, query, count: WARM_UP });
    const pairs = await alternate(
      TURNS,
      () => durationOf(service, many, { document, query, count: REQUESTS }),
      () => durationOf(service, few, { document, query, count: REQUESTS }),
    );
    figures.push(compared(`first page, ${name}, ms`, pairs));
    const duration = median(pairs.map(({ subject }) => subject));
    figures.push(single(`the same, ${MANY.count} meetings, ms`, duration, { atMost: 50 }));
  };
  for (const [name, query] of Object.entries(QUERIES)) await measure(name, search, query);
  await measure('meetings(search) by a beginning', list, 'week');
  return [
    ...figures,
    single('indexed in the background, µs per meeting', 1_000 * indexed),
    single('postings on disk, with indexes, MB', (storageSize + totalIndexSize) / 1_000_000),
  ];
}
