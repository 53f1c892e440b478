import { describe, expect, test } from 'vitest';
import { matchesOf } from '../../../src/features/meetings/search/search-snippets.ts';
import { eachIndexedWord, searchTerms, termsOf } from '../../../src/features/meetings/search/search-terms.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

/** Marks of two combining classes in turn, which normalization has to sort: quadratic in the length of the run. */
const MARKS = '\u0315\u0300'.repeat(50_000);
const MAX_MS = 250;

function indexedWords(text: string): string[] {
  const words: string[] = [];
  eachIndexedWord(text, (word) => words.push(word));
  return words;
}

const meeting = { participantsJson: [], summaryText: null, transcript: null, segments: [] };

describe('a letter with 100,000 combining marks', () => {
  test.each([
    { of: 'terms', work: (text: string) => termsOf([text]), result: ['zoe', 'spoke'] },
    { of: 'indexed words', work: indexedWords, result: ['zoe', 'spoke'] },
    { of: 'a search', work: searchTerms, result: ['spoke', 'zoe'] },
  ])('is folded in less than a quarter of a second: $of', async ({ work, result }) => {
    const cpuMs = await cpuMsOf(() => expect(work(`Zoe${MARKS} spoke`)).toEqual(result));
    expect(cpuMs).toBeLessThan(MAX_MS);
  });

  test('does not delay a snippet', async () => {
    const title = `Zoe${MARKS} spoke`;
    const cpuMs = await cpuMsOf(async () => {
      const [match] = await matchesOf({ ...meeting, title }, ['zoe']);
      expect(match).toMatchObject({ field: 'title', highlights: [{ start: 0, end: 200 }] });
    });
    expect(cpuMs).toBeLessThan(MAX_MS);
  });
});

test('email addresses are found in linear time, as a pattern finds them', async () => {
  const pattern = /[^\s@<>(),;:"]{1,64}@[^\s@<>(),;:"]{1,255}/g;
  const pieces = ['a', '@', ' ', '.', '<', 'x'.repeat(70), 'y'.repeat(260), 'a@b.example'];
  let state = 1;
  for (let round = 0; round < 2_000; round += 1) {
    let text = '';
    for (let piece = 0; piece < 8; piece += 1) {
      state = (state * 48_271) % 2_147_483_647;
      text += pieces[state % pieces.length];
    }
    const expected = (text.match(pattern) ?? []).map((address) => address.replace(/\.+$/, '').slice(0, 100));
    expect(indexedWords(text).slice(0, expected.length), text).toEqual(
      expected.map((address) => address.slice(0, 40)),
    );
  }
  const texts = Array(1_000).fill(`${'x'.repeat(4_000)}@`);
  expect(await cpuMsOf(() => termsOf(texts))).toBeLessThan(MAX_MS);
});

test('the marks of a letter do not count, whether they are characters of their own or not', () => {
  const forms = ['Zoë', 'Zoe\u0308', 'Zoe\u0308\u0308', 'ＺＯＥ', 'zoe'];
  for (const form of forms) expect(searchTerms(form)).toEqual(['zoe']);
  expect(searchTerms('ﬁle ｶﾞ ①')).toEqual(['file', 'カ', '1']);
});

test('folding yields what normalization without a bound yields, for every character', () => {
  const differing: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const text = `a${String.fromCodePoint(code)}b`;
    const normalized = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const words = normalized.match(/[\p{L}\p{N}]+/gu) ?? [];
    const address = normalized.includes('@') ? [normalized] : [];
    if (indexedWords(text).join() !== [...address, ...words].join()) differing.push(code.toString(16));
  }
  expect(differing).toEqual([]);
});
