import { pastTimes } from '../past-times.ts';
import { createRandom, type Random } from '../seeded-random.ts';
import { type Visitor, visitors } from '../visitors.ts';
import { CLOSING, type Line, OCCASIONS, type Occasion, OPENING } from './meeting-dialogues.ts';
import type { MeetingJson, Meetings, ParticipantJson, SegmentJson } from './meeting-json.ts';

const SEED = 0x2ec02de2;
const MINUTE = 60_000;
/** A first sync asks for 90 days, and comes later than the provider starts. */
const DAYS = 89;
/** How long after its end a recording is processed. */
const PROCESSING = 10 * MINUTE;
/** The newest meeting has just ended: its transcript is still to come. */
const NEWEST_ENDED_AGO = 4 * MINUTE;

const CHARACTERS_PER_SECOND = 12;

const HOSTS: readonly [ParticipantJson, ...ParticipantJson[]] = [
  { name: 'Alex Moreau', email: 'Alex.Moreau@Rota.Example.com', role: 'host' },
  { name: 'Sam Keller', email: 'sam.keller@rota.example.com', role: 'host' },
  { name: 'Robin Akande', email: 'robin.akande@rota.example.com', role: 'host' },
];
const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

/** What is known of a meeting before anything of it is written out. */
interface Sketch {
  seed: number;
  startedAt: number;
  durationSeconds: number;
  occasion: Occasion;
  visitor: Visitor;
}

/**
 * Meetings of the last three months, newest first and the same for every start at the same time. What was said is
 * made when it is asked for, so that there may be many.
 */
export function demoMeetings(count: number, startedAt: Date, now: () => Date): Meetings {
  const sketches = sketchesOf(count, startedAt);
  return {
    length: sketches.length,
    at(index) {
      const sketch = sketches[index];
      return sketch && meetingOf(sketch, now().getTime());
    },
  };
}

function sketchesOf(count: number, now: Date): Sketch[] {
  const random = createRandom(SEED);
  const people = visitors(random);
  const moments = pastTimes(random, {
    count: count - 1,
    days: DAYS,
    latest: new Date(now.getTime() - 120 * MINUTE),
  });
  const sketch = (startOf: (durationSeconds: number) => number): Sketch => {
    const occasion = random.weighted(OCCASIONS);
    const durationSeconds = Math.round(random.between(...occasion.minutes) * 60);
    const seed = Math.floor(random.between(1, 2 ** 31));
    return {
      seed,
      startedAt: startOf(durationSeconds),
      durationSeconds,
      occasion,
      visitor: people.next().value,
    };
  };
  const past = moments.map((at) => sketch(() => at.getTime()));
  const newest = sketch((seconds) => now.getTime() - NEWEST_ENDED_AGO - seconds * 1000);
  return [...past, newest].reverse();
}

function meetingOf(
  { seed, startedAt, durationSeconds, occasion, visitor }: Sketch,
  now: number,
): MeetingJson {
  const random = createRandom(seed);
  const { company, firstName } = visitor.identity;
  const words: Record<string, string> = {
    company,
    firstName,
    seats: String(visitor.seats),
    day: random.pick(DAY_NAMES),
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
  const participants = participantsOf(random, visitor);
  const isReady = startedAt + durationSeconds * 1000 + PROCESSING <= now;
  return {
    id: `mtg_${seed.toString(36)}`,
    title: fill(occasion.title),
    created_at: new Date(startedAt).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    duration_seconds: durationSeconds,
    participants,
    transcript: isReady ? transcriptOf(random, occasion, participants, durationSeconds, fill) : [],
    summary: isReady ? fill(occasion.summary) : null,
    // What every provider has more of than anybody needs.
    recording_url: `https://recordings.example.com/mtg_${seed.toString(36)}`,
    language: 'en',
    tags: ['customer'],
  };
}

/** The customer first, then who joined, then ours; a telephone in the room has no address. */
function participantsOf(random: Random, { identity }: Visitor): ParticipantJson[] {
  const { firstName, lastName, email } = identity;
  const customer: ParticipantJson = {
    name: `${firstName} ${lastName}`,
    // As people type it.
    email: random.chance(0.2) ? email.toUpperCase() : email,
    role: 'guest',
  };
  const telephone: ParticipantJson = { name: 'Meeting room (telephone)', role: 'guest' };
  return [...(random.chance(0.15) ? [telephone] : []), customer, random.pick(HOSTS)];
}

function transcriptOf(
  random: Random,
  { topics }: Occasion,
  participants: ParticipantJson[],
  durationSeconds: number,
  fill: (text: string) => string,
): SegmentJson[] {
  const nameOf = (by: Line['by']): string =>
    participants.find(({ role, email }) => role === by && email)?.name ?? by;
  const middle = topics.filter(() => random.chance(0.85));
  const lines = [OPENING, ...middle, CLOSING].flat();
  const spoken = lines.reduce((sum, { text }) => sum + text.length / CHARACTERS_PER_SECOND, 0);
  // What is left is spent looking at things.
  const pause = (durationSeconds - spoken) / lines.length;
  let at = 0;
  return lines.map(({ by, text }) => {
    const start = at;
    const end = start + text.length / CHARACTERS_PER_SECOND;
    at = end + pause;
    return { speaker: nameOf(by), text: fill(text), start_time: tenths(start), end_time: tenths(end) };
  });
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;
