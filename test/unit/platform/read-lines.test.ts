import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, readLines } from '../../../src/platform/read-lines.ts';

const LIMIT = 1_000;

async function linesOf(chunks: Buffer[], maxBytes = LIMIT): Promise<Line[]> {
  return Array.fromAsync(readLines(Readable.from(chunks), maxBytes));
}

const texts = async (...chunks: string[]) =>
  (await linesOf(chunks.map((chunk) => Buffer.from(chunk)))).map(({ bytes }) => bytes?.toString() ?? null);

describe('reading lines', () => {
  test('returns the same lines regardless of chunk boundaries', async () => {
    const content = fc.array(fc.constantFrom('a', 'ü', '\n', '\r\n', ' '), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(content, fc.array(fc.nat(80), { maxLength: 8 }), async (characters, cuts) => {
        const whole = Buffer.from(characters.join(''));
        const ends = [...cuts.filter((cut) => cut < whole.length), whole.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
        const expected = whole.toString().split('\n');
        if (expected.at(-1) === '') expected.pop();
        const lines = await linesOf(chunks);
        expect(lines.map(({ bytes }) => bytes?.toString())).toEqual(
          expected.map((line) => line.replace(/\r$/, '')),
        );
        expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1));
        expect(lines.at(-1)?.end ?? 0).toBe(whole.length);
      }),
      { numRuns: 200 },
    );
  });

  test('skips a byte order mark before the first line only', async () => {
    expect(await texts('\uFEFFa\n\uFEFFb\n')).toEqual(['a', '\uFEFFb']);
  });

  test('recognizes a byte order mark that spans two chunks', async () => {
    const bytes = Buffer.from('\uFEFFa\n');
    const [line] = await linesOf([bytes.subarray(0, 1), bytes.subarray(1)]);
    expect(line?.bytes?.toString()).toBe('a');
  });

  test('reports a line above the limit by its number alone, and continues after it', async () => {
    const chunks = ['a\n', 'x'.repeat(600), 'x'.repeat(600), 'x\nb\n', 'y'.repeat(1_001)];
    expect(await texts(...chunks)).toEqual(['a', null, 'b', null]);
  });

  test('accepts a line of exactly the limit', async () => {
    expect(await texts(`${'x'.repeat(1_000)}\n`)).toEqual(['x'.repeat(1_000)]);
  });

  test('returns no lines for an empty stream', async () => {
    expect(await texts()).toEqual([]);
  });
});
