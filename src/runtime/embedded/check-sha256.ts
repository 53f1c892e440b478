import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Checks the SHA-256 of a file. @throws Error if it differs; the file must not be used then */
export async function checkSha256(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== expected)
    throw new Error(`SHA-256 of ${path} is ${actual}, not the expected ${expected}; the file is not used`);
}
