import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAnchors } from '../../../src/cli/anchors-file.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engagement-anchors-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function fileWith(...lines: string[]): Promise<string> {
  const path = join(directory, 'workers.log');
  await writeFile(path, lines.join('\n'));
  return path;
}

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const anchor = (sequence: number, hour: number, customerId: number | null = 7) =>
  JSON.stringify({
    ...{ level: 'info', time: at(hour).toISOString(), customerId, sequence, hash: `h${sequence}` },
    msg: 'audit log head',
  });

test('an anchor is younger than the latest line of its log with fewer entries', async () => {
  const path = await fileWith(
    ...[anchor(2, 3), anchor(0, 1), anchor(1, 2, 8), anchor(2, 4), anchor(5, 6), anchor(5, 7, null)],
  );
  const { anchors } = await readAnchors(path);
  expect(
    anchors.map(({ customerId, sequence, writtenAfter }) => [customerId, sequence, writtenAfter]),
  ).toEqual([
    [null, 5, null],
    [7, 2, at(1)],
    [7, 5, at(4)],
    [8, 1, null],
  ]);
});

test('lines with a prefix are read, and lines that cannot be read are counted', async () => {
  const path = await fileWith(
    ...['no JSON', `app | ${anchor(1, 1)}`, anchor(2, 2).slice(10), 'x'.repeat(1_100_000), anchor(3, 3)],
  );
  const { anchors, unreadable } = await readAnchors(path);
  expect(anchors.map(({ sequence }) => sequence)).toEqual([1, 3]);
  expect(unreadable).toBe(2);
});

test('a file without anchors, or without those of the customer, is refused', async () => {
  const path = await fileWith(anchor(1, 1), anchor(2, 2).slice(10));
  await expect(readAnchors(path, 9)).rejects.toMatchObject({
    ...{ code: 'VALIDATION_FAILED', message: expect.stringContaining('no anchor of customer 9') },
  });
  await expect(readAnchors(path, 9)).rejects.toThrow('1 lines cannot be read');
  await expect(readAnchors(await fileWith('{}'))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

test.each([
  ['a directory', () => directory, 'EISDIR'],
  ['a missing file', () => join(directory, 'missing'), 'no such file'],
])('%s cannot be read', async (_name, path, reason) => {
  await expect(readAnchors(path())).rejects.toMatchObject({
    ...{ code: 'BAD_REQUEST', message: expect.stringContaining(reason) },
  });
});
