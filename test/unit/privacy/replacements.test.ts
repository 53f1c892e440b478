import { expect, test } from 'vitest';
import { cutTo } from '../../../src/features/privacy/replacements.ts';

test.each([
  ['a text of the maximum in code points stays', '😀'.repeat(8), '😀'.repeat(8)],
  ['a longer one is cut between characters', `${'😀'.repeat(8)}x`, '😀'.repeat(8)],
  ['a part of a replacement is left out', 'Ask [erased]', 'Ask '],
  ['a shorter one stays', 'Ask [er', 'Ask [er'],
])('%s', (_, text, expected) => expect(cutTo(8, text)).toBe(expected));
