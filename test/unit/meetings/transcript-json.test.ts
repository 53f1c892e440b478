import { expect, test } from 'vitest';
import {
  decodeTranscript,
  encodeTranscript,
  textsOfTranscript,
} from '../../../src/features/meetings/transcript-json.ts';

const SEGMENTS = [
  { speaker: 'Ada', text: 'Grüße 👋', startTime: 0, endTime: 4.5 },
  { speaker: null, text: '', startTime: null, endTime: null },
  { speaker: 'Ada', text: 'toString', startTime: 5, endTime: null },
  { speaker: '__proto__', text: 'No name.', startTime: null, endTime: 7 },
  { speaker: 'toString', text: '', startTime: 7, endTime: 8 },
];

test('a stored transcript has the segments that were encoded', () => {
  const json = encodeTranscript(SEGMENTS);
  expect(decodeTranscript(json)).toEqual(SEGMENTS);
  expect(textsOfTranscript(json)).toEqual(['Grüße 👋', '', 'toString', 'No name.', '']);
});

test('a transcript that an earlier version stored as a list of segments is read', () => {
  const json = JSON.stringify(SEGMENTS);
  expect(decodeTranscript(json)).toEqual(SEGMENTS);
  expect(textsOfTranscript(json)).toEqual(['Grüße 👋', '', 'toString', 'No name.', '']);
});
