import { expect, test } from 'vitest';
import { customerText, keyName, shortText } from '../../../src/cli/option-parsers.ts';

test('names and ids of customers are trimmed, as over the APIs; other ids are not', () => {
  expect(customerText(' acme ')).toBe('acme');
  expect(shortText(' v_1 ')).toBe(' v_1 ');
});

test.each([
  [keyName, 100],
  [shortText, 500],
  [customerText, 500],
])('%o counts characters, not UTF-16 units, up to %i', (parse, max) => {
  expect(parse('😀'.repeat(max))).toBe('😀'.repeat(max));
  expect(() => parse('😀'.repeat(max + 1))).toThrow(`Must be at most ${max} characters long.`);
});

test.each([keyName, shortText, customerText])('%o refuses blank and hidden text', (parse) => {
  for (const blank of ['', ' ', '\t']) expect(() => parse(blank)).toThrow('Must not be blank.');
  expect(() => parse('a\u202eb')).toThrow('bidirectional marks');
});
