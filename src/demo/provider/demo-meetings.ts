import { pastTimes } from '../past-times.ts';
import { createRandom, type Random } from '../seeded-random.ts';
import { type Visitor, visitors } from '../visitors.ts';
import { CLOSING, type Line, OCCASIONS, type Occasion, OPENING } from './meeting-dialogues.ts';
import type { MeetingJson, Meetings, ParticipantJson, SegmentJson } from './meeting-json.ts';

const SEED = 0x2ec02de2;
const MINUTE_MS = 60_000;
/** Age of the oldest meeting. A first sync reads 90 days and starts after the provider, so one day is a margin. */
const DAYS = 89;
/** Time from the end of a meeting to its transcript. */
const PROCESSING_MS = 10 * MINUTE_MS;
/** Time since the end of the newest meeting: less than `PROCESSING_MS`, so that its transcript is still missing. */
const NEWEST_ENDED_AGO_MS = 4 * MINUTE_MS;

const CHARACTERS_PER_SECOND = 12;

const HOSTS: readonly [ParticipantJson, ...ParticipantJson[]] = [
  { name: 'Alex Moreau', email: 'Alex.Moreau@Rota.Example.com', role: 'host' },
  { name: 'Sam Keller', email: 'sam.keller@rota.example.com', role: 'host' },
  { name: 'Robin Akande', email: 'robin.akande@rota.example.com', role: 'host' },
];
const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

/** A demo provider's meetings, which users can delete. */
export interface DemoMeetings extends Meetings {
  /** Deletes the meeting whose id matches; returns it, or null if there is none. */
  remove(matches: (id: string) => boolean): MeetingJson | null;
  /** When the newest meeting gets its transcript. */
  readonly completeAt: Date;
}

/** Seed data of a meeting; its content is generated on demand. */
interface MeetingOutline {
  seed: number;
  startedAt: number;
  durationSeconds: number;
  occasion: Occasion;
  visitor: Visitor;
}

/**
 * Generates meetings of the last three months, newest first; the same meetings for the same `startedAt`. Their content is
 * generated on demand, so that a large `count` costs little memory.
 */
export function demoMeetings(count: number, startedAt: Date, now: () => Date): DemoMeetings {
  const outlines = outlinesOf(count, startedAt);
  return {
    get length() {
      return outlines.length;
    },
    at(index) {
      const outline = outlines[index];
      return outline && meetingOf(outline, now().getTime());
    },
    remove(matches) {
      const index = outlines.findIndex(({ seed }) => matches(idOf(seed)));
      const [removed] = index < 0 ? [] : outlines.splice(index, 1);
      return removed ? meetingOf(removed, now().getTime()) : null;
    },
    completeAt: new Date(startedAt.getTime() - NEWEST_ENDED_AGO_MS + PROCESSING_MS),
  };
}

const idOf = (seed: number): string => `mtg_${seed.toString(36)}`;

function outlinesOf(count: number, now: Date): MeetingOutline[] {
  const random = createRandom(SEED);
  const people = visitors(random);
  const startTimes = pastTimes(random, {
    count: count - 1,
    days: DAYS,
    latest: new Date(now.getTime() - 120 * MINUTE_MS),
  });
  const outline = (startOf: (durationSeconds: number) => number): MeetingOutline => {
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
  const past = startTimes.map((at) => outline(() => at.getTime()));
  const newest = outline((seconds) => now.getTime() - NEWEST_ENDED_AGO_MS - seconds * 1000);
  return [...past, newest].reverse();
}

function meetingOf(
  { seed, startedAt, durationSeconds, occasion, visitor }: MeetingOutline,
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
  const isReady = startedAt + durationSeconds * 1000 + PROCESSING_MS <= now;
  return {
    id: idOf(seed),
    title: fill(occasion.title),
    created_at: new Date(startedAt).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    duration_seconds: durationSeconds,
    participants,
    transcript: isReady ? transcriptOf({ random, occasion, participants, durationSeconds, fill }) : [],
    summary: isReady ? fill(occasion.summary) : null,
    // The service ignores these fields.
    recording_url: `https://recordings.example.com/${idOf(seed)}`,
    language: 'en',
    tags: ['customer'],
  };
}

/** Returns the guest and the host, and sometimes a telephone, which has no email address. */
function participantsOf(random: Random, { identity }: Visitor): ParticipantJson[] {
  const { firstName, lastName, email } = identity;
  const customer: ParticipantJson = {
    name: `${firstName} ${lastName}`,
    // The service must normalize the case of addresses.
    email: random.chance(0.2) ? email.toUpperCase() : email,
    role: 'guest',
  };
  const telephone: ParticipantJson = { name: 'Meeting room (telephone)', role: 'guest' };
  return [...(random.chance(0.15) ? [telephone] : []), customer, random.pick(HOSTS)];
}

interface TranscriptInput {
  random: Random;
  occasion: Occasion;
  participants: ParticipantJson[];
  durationSeconds: number;
  /** Replaces the placeholders of a line. */
  fill: (text: string) => string;
}

function transcriptOf(input: TranscriptInput): SegmentJson[] {
  const { random, occasion, participants, durationSeconds, fill } = input;
  const nameOf = (by: Line['by']): string =>
    participants.find(({ role, email }) => role === by && email)?.name ?? by;
  const middle = occasion.topics.filter(() => random.chance(0.85));
  const lines = [OPENING, ...middle, CLOSING].flat();
  const spoken = lines.reduce((sum, { text }) => sum + text.length / CHARACTERS_PER_SECOND, 0);
  // Spreads the silence evenly.
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
