import { expect, test } from 'vitest';
import { jsonBytes, jsonTextBytes } from '../../../src/platform/json-size.ts';

test.each(['', 'plain', 'ü€😀', 'a"b\\c\n', '\u0001'])('the size of %j is the length of its JSON', (text) => {
  expect(jsonTextBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
});

test.each([
  ['long strings', ['€'.repeat(1_000), '\u0001'.repeat(1_000)]],
  ['rows', Array.from({ length: 100 }, (_, i) => ({ id: `id${i}`, text: 'x'.repeat(i), at: new Date(0) }))],
  ['values', [{ a: null, b: true, c: { d: [] } }]],
])('the size of %s is close to the length of their JSON', (_name, value) => {
  const exact = Buffer.byteLength(JSON.stringify(value));
  expect(Math.abs(jsonBytes(value) - exact)).toBeLessThanOrEqual(exact / 4);
});

test('stops at the limit', () => {
  const read: number[] = [];
  const items = Array.from({ length: 100 }, (_, i) => ({
    get text() {
      read.push(i);
      return 'x'.repeat(1_000);
    },
  }));
  expect(jsonBytes(items, 5_000)).toBeGreaterThan(5_000);
  expect(read.length).toBeLessThanOrEqual(5);
});
