import { expect, test } from 'vitest';
import {
  addToBatch,
  type Batch,
  bucketOfPart,
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
