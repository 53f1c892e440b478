import { expect, test } from 'vitest';
import {
  addToBatch,
  type Batch,
  bucketOfPart,
  countWords,
  encodePart,
  IN_SUMMARY,
  IN_TITLE,
  withOccurrence,
} from '../../../src/features/meetings/search/postings.ts';

test.each([
  ...['a', 'me', 'meeting', 'äöü', '😀', '😀😀😀😀', '東京都庁', 'ada@example.com', 'a@b', 'a*@b', '**@b'],
  // Cut after 40 characters, of which the last one marks a prefix elsewhere.
  `${'x'.repeat(39)}*`,
])('a part tells the bucket of its words: %s', (word) => {
  for (const field of [IN_TITLE, IN_SUMMARY]) {
    const batch: Batch = new Map();
    addToBatch(batch, 0, new Map([[word, withOccurrence(undefined, field, 0)]]));
    for (const [bucket, words] of batch) expect(bucketOfPart(encodePart(words))).toBe(bucket);
  }
});

test('counting the words of a prefix keeps the most frequent ones in bounded memory', () => {
  const counts = new Map<string, number>();
  const frequent = Array.from({ length: 100 }, (_, number) => `meet-often-${number}`);
  let most = 0;
  for (let group = 0; group < 50; group += 1) {
    const batch: Batch = new Map();
    for (let meeting = 0; meeting < 100; meeting += 1) {
      const once = Array.from({ length: 50 }, (_, number) => `meet-${group}-${meeting}-${number}`);
      const words = [...once, frequent[meeting] ?? ''];
      addToBatch(
        batch,
        meeting,
        new Map(words.map((word) => [word, withOccurrence(undefined, IN_TITLE, 0)])),
      );
    }
    countWords(encodePart(batch.get('mee') ?? new Map()), Buffer.from('meet'), counts);
    most = Math.max(most, counts.size);
  }
  expect(most).toBeLessThanOrEqual(20_000);
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  expect(
    byCount
      .slice(0, 100)
      .map(([word]) => word)
      .toSorted(),
  ).toEqual(frequent.toSorted());
  expect(byCount[0]?.[1]).toBe(50);
});
