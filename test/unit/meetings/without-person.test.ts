import { expect, test } from 'vitest';
import {
  type MeetingContent,
  withoutPerson,
  withoutSuppressed,
} from '../../../src/features/meetings/stored-meetings/without-person.ts';
import { decodeTranscript, encodeTranscript } from '../../../src/features/meetings/transcript-json.ts';
import { comparableName } from '../../../src/features/privacy/names.ts';
import { NO_PERSON } from '../../../src/features/privacy/person.ts';
import type { PrivacyKey } from '../../../src/features/privacy/privacy-keys.store.ts';
import { SUPPRESSION_TYPES } from '../../../src/features/privacy/suppression-types.ts';
import { createSuppressor } from '../../../src/features/privacy/suppressor.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const ZOE = { ...NO_PERSON, emails: ['zoe@example.com'], names: ['Zoé Quist'], phones: ['491701234567'] };

const BOB = { name: 'Bob Stone', email: 'bob@example.com', role: 'guest' };

/** Returns a meeting in which each of the speakers says something. */
const meetingOf = (
  speakers: (string | null)[],
  participants: MeetingContent['participants'],
): MeetingContent => ({
  title: 'A call',
  summary: 'What was said.',
  participants,
  segments: speakers.map((speaker) => ({ speaker, text: `by ${speaker}`, startTime: null, endTime: null })),
});

const PARTICIPANT = { name: 'Zoé Quist', email: 'zoe@example.com', role: 'guest' };

const speakersIn = (content: MeetingContent | null) => content?.segments?.map(({ speaker }) => speaker);

const OF_ZOE = [
  'Zoé Quist',
  'ZOE QUIST',
  'Zoe\u0301 Quist',
  'Quist, Zoe',
  'Zoé',
  'Zoe',
  'quist',
  'zoe@example.com',
  'Zoe <ZOE@example.com>',
  'Zoé Quist (Guest)',
  'Zoe [external]',
  'Zoé Quist - Example Ltd',
  '+49 170 1234567',
];
const OF_OTHERS = [null, 'Bob Stone', 'Bob', 'Speaker 1', 'Zo', 'Quist Ltd Support', 'Bob (for Zoé)'];

test('what an erased participant said is removed, whatever the speaker is called', async () => {
  const content = await withoutPerson(meetingOf([...OF_ZOE, ...OF_OTHERS], [PARTICIPANT, BOB]), ZOE);
  expect(speakersIn(content)).toEqual([
    null,
    'Bob Stone',
    'Bob',
    'Speaker 1',
    'Zo',
    '[erased] Ltd Support',
    'Bob (for [erased])',
  ]);
  expect(content?.summary).toBeNull();
});

test('a first or last name that another participant has stays', async () => {
  const other = { name: 'Zoe Stone', email: 'z@example.com', role: 'guest' };
  const content = await withoutPerson(meetingOf(['Zoe', 'Quist', 'Zoe Stone'], [PARTICIPANT, other]), ZOE);
  expect(content?.segments?.map(({ text }) => text)).toEqual(['by [erased]', 'by [erased] Stone']);
});

test('a speaker who is no participant is recognized by an identifier, not by a name', async () => {
  const speakers = ['Zoé Quist (Guest)', 'zoe@example.com', 'Zoe', 'Bob'];
  const content = await withoutPerson(meetingOf(speakers, [BOB]), ZOE);
  expect(speakersIn(content)).toEqual(['[erased] (Guest)', 'Zoe', 'Bob']);
  expect(content?.summary).toBeNull();
});

test('many speakers are compared with many participants in linear time', async () => {
  const others = Array.from({ length: 1_000 }, (_, index) => ({
    ...{ name: `Zoe Guest ${index}`, email: `${index}@example.com`, role: 'guest' },
  }));
  const speakers = Array.from({ length: 20_000 }, (_, index) => `Zoe Speaker ${index}`);
  const meeting = meetingOf([...speakers, 'Quist'], [PARTICIPANT, ...others]);
  const cpuMs = await cpuMsOf(async () => {
    const content = await withoutPerson(meeting, ZOE);
    expect(speakersIn(content)).toHaveLength(speakers.length);
    const transcriptJson = encodeTranscript(meeting.segments ?? []);
    const received = { ...meeting, transcriptJson, recordJson: null };
    const { isSuppressed } = await withoutSuppressed(received as never, suppressor);
    expect(isSuppressed).toBe(true);
  });
  // A comparison of each speaker with each participant takes minutes.
  expect(cpuMs).toBeLessThan(10_000);
});

const key = { hash: (identifier: string, purpose: string) => `${purpose}:${identifier}` } as PrivacyKey;
const name = comparableName('Zoé Quist');
const suppressor = createSuppressor({
  key,
  types: new Set(SUPPRESSION_TYPES),
  hashes: new Set(['email:zoe@example.com', 'phone:491701234567', `name:${name?.key}`]),
  hasWord: (type, word) => type !== 'name' || (name?.words.includes(word) ?? false),
});

test.each([
  { participants: [PARTICIPANT, BOB], left: ['Bob', 'Speaker 1'] },
  {
    participants: [BOB],
    left: [
      ...['[suppressed]', '[suppressed]', '[suppressed]', '[suppressed]', 'Zoé', 'Zoe', 'quist'],
      ...['[suppressed] (Guest)', 'Zoe [external]', '[suppressed] - Example Ltd', 'Bob', 'Speaker 1'],
    ],
  },
])(
  'what a suppressed person said under an identifier or as a participant is not stored, with $participants.length participants',
  async (given) => {
    const { title, summary, segments } = meetingOf([...OF_ZOE, 'Bob', 'Speaker 1'], []);
    const received = {
      title,
      summary,
      participants: given.participants,
      transcriptJson: encodeTranscript(segments ?? []),
      recordJson: '{"transcript":[]}',
    } as unknown as Parameters<typeof withoutSuppressed>[0];
    const { meeting, isSuppressed } = await withoutSuppressed(received, suppressor);
    expect(decodeTranscript(meeting.transcriptJson ?? '[]').map(({ speaker }) => speaker)).toEqual(
      given.left,
    );
    expect(isSuppressed).toBe(true);
    expect(meeting).toMatchObject({ summary: null, recordJson: null });
  },
);

/** Returns what is stored of a meeting with these participants. */
const storedOf = async (participants: MeetingContent['participants'], record: unknown = {}) => {
  const received = {
    ...{ title: 'Is 49 a dot com?', summary: null, participants },
    transcriptJson: encodeTranscript(
      meetingOf(
        participants.map(({ name }) => name),
        [],
      ).segments ?? [],
    ),
    recordJson: JSON.stringify(record),
  } as unknown as Parameters<typeof withoutSuppressed>[0];
  return withoutSuppressed(received, suppressor);
};

test.each([
  'Zoé Quist',
  '+49 170 1234567',
  'zoe@example.com',
  'Zoe <zoe@example.com>',
  '+49 170 1234567 (mobile)',
])('a participant without an address is taken for the suppressed person by the name %s', async (name) => {
  const { meeting, isSuppressed } = await storedOf([{ name, email: null, role: 'guest' }, BOB]);
  expect(isSuppressed).toBe(true);
  expect(meeting).toMatchObject({ participants: [BOB], recordJson: null });
  expect(
    speakersIn({ segments: decodeTranscript(meeting.transcriptJson ?? '[]') } as MeetingContent),
  ).toEqual(['Bob Stone']);
  if (!name.startsWith('Z')) expect(meeting.title).toBe('Is 49 a dot com?');
});

test.each([
  ['Zoé Quist (Guest)', null, '[suppressed] (Guest)'],
  ['For Zoé Quist, zoe@example.com', null, 'For [suppressed], [suppressed]'],
  ['Zoé Quist', 'other@example.com', 'Zoé Quist'],
  ['Zoé Quist, +49 170 1234567', 'other@example.com', 'Zoé Quist, [suppressed]'],
])('the name %s of a participant with the address %s is stored as %s', async (name, email, expected) => {
  const { meeting } = await storedOf([{ name, email, role: 'guest' }, BOB]);
  expect(meeting.participants).toEqual([{ name: expected, email, role: 'guest' }, BOB]);
});

test('a record of the provider that replacements make too large is not stored', async () => {
  const record = Array.from({ length: 30_000 }, () => 'Zoe Quist');
  expect((await storedOf([BOB], record)).meeting.recordJson).toBeNull();
  expect((await storedOf([BOB], record.slice(0, 10))).meeting.recordJson).toContain('[suppressed]');
});
