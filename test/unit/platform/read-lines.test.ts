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

describe('readLines', () => {
  test('gives the same lines however the stream is cut into chunks', async () => {
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

  test('leaves a byte order mark out, in front of the first line only', async () => {
    expect(await texts('\uFEFFa\n\uFEFFb\n')).toEqual(['a', '\uFEFFb']);
  });

  test('finds a byte order mark that is cut in two', async () => {
    const bytes = Buffer.from('\uFEFFa\n');
    const [line] = await linesOf([bytes.subarray(0, 1), bytes.subarray(1)]);
    expect(line?.bytes?.toString()).toBe('a');
  });

  test('tells of a line that is too long by its number alone, and goes on behind it', async () => {
    const chunks = ['a\n', 'x'.repeat(600), 'x'.repeat(600), 'x\nb\n', 'y'.repeat(1_001)];
    expect(await texts(...chunks)).toEqual(['a', null, 'b', null]);
  });

  test('keeps a line that is just as long as the bound', async () => {
    expect(await texts(`${'x'.repeat(1_000)}\n`)).toEqual(['x'.repeat(1_000)]);
  });

  test('gives nothing for an empty stream', async () => {
    expect(await texts()).toEqual([]);
  });
});
