import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOrCreateEncryptionKey } from '../../../src/platform/encryption-key.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'encryption-key-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('creates one key of 32 bytes that only its owner can read, and its directory', async () => {
  const dataDir = join(root, 'deep', 'data');
  const keys = await loadOrCreateEncryptionKey(dataDir);

  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(await readFile(join(dataDir, 'encryption.key'), 'utf8')).toBe(`${keys[0]}\n`);
  expect((await stat(join(dataDir, 'encryption.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['encryption.key']);
});

test('returns the same key at the next start', async () => {
  const first = await loadOrCreateEncryptionKey(root);
  expect(await loadOrCreateEncryptionKey(root)).toEqual(first);
});

test('returns one key to all concurrent starts', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateEncryptionKey(root)));
  expect(new Set(all.flat()).size).toBe(1);
  expect(await readdir(root)).toEqual(['encryption.key']);
});

test('reads a list that an operator wrote, whose first key encrypts', async () => {
  const keys = ['a1'.repeat(32), 'b2'.repeat(32)];
  await writeFile(join(root, 'encryption.key'), `${keys.join(',')}\n`);
  expect(await loadOrCreateEncryptionKey(root)).toEqual(keys);
});

test('rejects an invalid key file instead of replacing it', async () => {
  const file = join(root, 'encryption.key');
  await writeFile(file, 'damaged');
  await expect(loadOrCreateEncryptionKey(root)).rejects.toThrow('is not an encryption key');
  expect(await readFile(file, 'utf8')).toBe('damaged');
});

test('fails if the directory cannot be created, and leaves nothing behind', async () => {
  await writeFile(join(root, 'data'), '');
  await expect(loadOrCreateEncryptionKey(join(root, 'data'))).rejects.toThrow();
  await mkdir(join(root, 'other'));
  expect(await readdir(root)).toEqual(['data', 'other']);
});
