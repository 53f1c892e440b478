import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { standardAdapter } from '../../src/features/meetings/provider/adapters/standard.ts';
import { parsePage } from '../../src/features/meetings/provider/page-parser.ts';
import { ProviderError, type ProviderMeeting } from '../../src/features/meetings/provider/provider.types.ts';
import { wordsOf } from '../../src/features/meetings/search/meeting-indexer.ts';
import { matchesOf } from '../../src/features/meetings/search/search-snippets.ts';
import { toDocuments } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { decodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { DEFAULT_MAPPING } from '../../src/shared/field-mapping.ts';

/**
 * Reads hostile pages of a meeting provider as a sync does, and reports the longest block of the event loop and the
 * largest growth of memory: `node test/fuzz/provider-pages.ts [--seed 1] [--pages 40] [--minutes 10]`.
 */

const MIB = 1024 * 1024;
const MAX_BODY_CHARACTERS = 60 * MIB;

type Random = () => number;

/** The generator "mulberry32". */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const integer = (random: Random, from: number, to: number) => from + Math.floor(random() * (to - from + 1));
/** A number whose logarithm is distributed evenly. */
const logInteger = (random: Random, from: number, to: number) => Math.round(from * (to / from) ** random());
const oneOf = <T>(random: Random, values: readonly T[]): T =>
  values[integer(random, 0, values.length - 1)] as T;

/** Parts of texts that are costly to fold, to search, to escape or to decode. */
const PIECES = [
  'a',
  'word ',
  '\u0315\u0300',
  'e\u0301\u0323\u05ae',
  'a@b.example ',
  '\ufdfa',
  '\uff9e\uff9f',
  '\u{1d15e}',
  '\u0000',
  '"',
  '\\',
  '\ud800',
  'İ',
];
const textOf = (random: Random, length: number): string => {
  const piece = Array.from({ length: integer(random, 1, 4) }, () => oneOf(random, PIECES)).join('');
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
};
/** A text of distinct words. */
const wordsOfLength = (random: Random, length: number): string => {
  let text = '';
  while (text.length < length) text += `${Math.floor(random() * 2 ** 40).toString(36)} `;
  return text.slice(0, length);
};
const anyText = (random: Random, length: number) => oneOf(random, [textOf, wordsOfLength])(random, length);

function meetingOf(random: Random, index: number, budget: number): Record<string, unknown> {
  const segments = logInteger(random, 1, 25_000);
  const participants = logInteger(random, 1, 1_200);
  const share = Math.max(1, Math.floor(budget / (segments + participants + 2)));
  const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
  return {
    id: `m${index}`,
    created_at: '2026-11-20T10:00:00Z',
    title: anyText(random, logInteger(random, 1, 1_000)),
    summary: anyText(random, Math.min(share * 4, 100_000)),
    participants: repeat(participants, {
      name: anyText(random, Math.min(share, 500)),
      email: `${'a'.repeat(Math.min(share, 60))}@b.example`,
    }),
    transcript: repeat(segments, {
      speaker: anyText(random, Math.min(share, 500)),
      text: anyText(random, Math.min(share, 32_768)),
      start_time: 1,
    }),
    ...(random() < 0.3 && {
      extra: repeat(logInteger(random, 1, 100_000), oneOf<unknown>(random, [{}, [], 0])),
    }),
  };
}

const filled = (part: string, length: number) => part.repeat(Math.max(1, Math.floor(length / part.length)));

type Generator = (random: Random, length: number) => string;

const GENERATORS: Record<string, Generator> = {
  items: (random, length) =>
    `{"meetings":[${filled(oneOf(random, ['1,', '{},', '[],', '"",', 'null,', '{"id":1},']), length)}0]}`,
  itemsOfOneMeeting: (random, length) =>
    `{"meetings":[{"id":"m","created_at":"2026-11-20T10:00:00Z","x":[${filled(oneOf(random, ['1,', '{},', '[],', '"a",', '{"a":{}},']), length)}0]}]}`,
  nested: (random, length) => {
    const [open, close] = oneOf(random, [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    const depth = Math.floor(length / (open.length + 1));
    const nested = `${open.repeat(depth)}1${random() < 0.5 ? close.repeat(depth) : ''}`;
    return `{"meetings":[{"id":"m","created_at":"2026-11-20T10:00:00Z","x":${nested}}]}`;
  },
  string: (random, length) =>
    `{"${oneOf(random, ['meetings', 'next', 'x'])}":["${filled(oneOf(random, ['a', '\\"', '\\\\', '\\u0041', 'é', '\u{1f600}', '\\ud800']), length)}"]}`,
  envelope: (random, length) =>
    `{"meetings":[],${filled(oneOf(random, ['"a":1,', '"meetings":[],', '"":{},', '"meetings":[1],']), length)}"next":null}`,
  meetings(random, length) {
    const count = logInteger(random, 1, 60);
    const meetings = Array.from({ length: count }, (_, index) => meetingOf(random, index, length / count));
    return JSON.stringify({ meetings }).slice(0, MAX_BODY_CHARACTERS);
  },
  broken(random, length) {
    const page = JSON.stringify({ meetings: [meetingOf(random, 0, Math.min(length, 100_000))], next: null });
    const at = integer(random, 0, page.length);
    return (
      page.slice(0, at) +
      oneOf(random, ['', '"', '}', ']', '[', '{', ',', '\\', '\u0000']) +
      page.slice(at + 1)
    );
  },
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** CPU time of this thread in milliseconds: another process that takes the core does not count. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

interface Measured {
  blockMs: number;
  growthMib: number;
}

/** Runs work; returns the largest CPU time between two turns of the event loop, and the growth of memory. */
async function measure(work: () => Promise<void>): Promise<Measured> {
  collectGarbage();
  const before = process.memoryUsage.rss();
  let isRunning = true;
  let [blockMs, peak] = [0, before];
  const watching = (async () => {
    for (let last = cpuMs(); isRunning; last = cpuMs()) {
      await setImmediate();
      blockMs = Math.max(blockMs, cpuMs() - last);
      peak = Math.max(peak, process.memoryUsage.rss());
    }
  })();
  await work();
  isRunning = false;
  await watching;
  return { blockMs, growthMib: (peak - before) / MIB };
}

const TERMS = ['a', 'word', 'e', 'b', 'zz'];
const ADAPTER = { url: new URL('http://provider.test/meetings'), adapter: standardAdapter };
const OWNER = { customerId: 1 };

/** Builds what a sync stores of a meeting, indexes it, and searches it. */
async function store(meeting: ProviderMeeting): Promise<void> {
  const { meeting: stored } = toDocuments(OWNER, meeting, {
    mapping: { version: 0, fields: DEFAULT_MAPPING },
    key: null,
  });
  const transcript = meeting.transcriptJson === null ? null : decodeTranscript(meeting.transcriptJson);
  await wordsOf(
    stored,
    (transcript ?? []).map(({ text }) => text),
  );
  await matchesOf({ ...stored, transcript, segments: [0, 1, 2] }, TERMS);
}

/** Reads a page as a sync does; returns what became of it. */
async function read(body: string): Promise<string> {
  try {
    const page = await parsePage(body, ADAPTER);
    if (!page) return 'truncated';
    for (const meeting of page.meetings) {
      await setImmediate();
      await store(meeting);
    }
    return 'stored';
  } catch (error) {
    if (error instanceof ProviderError) return error.code;
    throw error;
  }
}

/** Throws if a body is read as a page that `JSON.parse` does not read. */
function requireSameAs(body: string, outcome: string): void {
  if (body.length > MIB) return;
  let isJson = true;
  try {
    JSON.parse(body);
  } catch {
    isJson = false;
  }
  if ((outcome === 'stored' && !isJson) || (outcome === 'truncated' && isJson))
    throw new Error(`The page is ${isJson ? '' : 'not '}JSON, and was ${outcome}: ${body.slice(0, 200)}`);
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    pages: { type: 'string', default: '40' },
    minutes: { type: 'string', default: '0' },
  },
});
const random = randomOf(Number(values.seed));
const endsAt = performance.now() + Number(values.minutes) * 60_000;
const names = Object.keys(GENERATORS);
const outcomes: Record<string, number> = {};
let worstBlock = { page: '', blockMs: 0 };
let worstGrowth = { page: '', growthMib: 0, sizeMib: 0 };

// What the parser takes for the values that one meeting may have, on this machine and at this time.
const reference = `[${'{},'.repeat(250_000)}0]`;
const parsed = await measure(async () => void JSON.parse(reference));
await read(GENERATORS.meetings?.(randomOf(0), MIB) ?? '');

for (let index = 0; index < Number(values.pages) || performance.now() < endsAt; index += 1) {
  const name = names[index % names.length] as string;
  const body = GENERATORS[name]?.(random, logInteger(random, 100, MAX_BODY_CHARACTERS)) ?? '';
  let outcome = '';
  const { blockMs, growthMib } = await measure(async () => {
    outcome = await read(body);
  });
  requireSameAs(body, outcome);
  const sizeMib = body.length / MIB;
  const page = `${index} ${name}, ${sizeMib.toFixed(1)} MiB, ${outcome}`;
  outcomes[`${name} ${outcome}`] = (outcomes[`${name} ${outcome}`] ?? 0) + 1;
  if (blockMs > worstBlock.blockMs) worstBlock = { page, blockMs: Math.round(blockMs) };
  if (growthMib - 2 * sizeMib > worstGrowth.growthMib - 2 * worstGrowth.sizeMib || worstGrowth.page === '')
    worstGrowth = { page, growthMib: Math.round(growthMib), sizeMib };
}
const result = { referenceMs: Math.round(parsed.blockMs), worstBlock, worstGrowth, outcomes };
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
