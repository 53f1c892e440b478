import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pipDownload } from '../../src/runtime/embedded/pip-download.ts';
import { breakingIndex } from '../support/breaking-index.ts';
import { temporaryDir } from '../support/embedded.ts';

const WHEEL = 'engagement_probe-1.0-py3-none-any.whl';

function hasPip(): boolean {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes a wheel with 300 kB of content that does not compress. */
async function writeWheel(dir: string): Promise<Buffer> {
  const code = `
import os, zipfile
with zipfile.ZipFile("${dir}/${WHEEL}", "w") as wheel:
    wheel.writestr("probe/data", os.urandom(300_000))
    wheel.writestr("engagement_probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: engagement-probe\\nVersion: 1.0\\n")
    wheel.writestr("engagement_probe-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("engagement_probe-1.0.dist-info/RECORD", "")
`;
  await writeFile(join(dir, 'wheel.py'), code);
  execFileSync('python3', [join(dir, 'wheel.py')]);
  return readFile(join(dir, WHEEL));
}

/** Starts an index whose first responses with the wheel break off, by default after a third, and makes pip use it. */
async function useBreakingIndex(
  wheel: Buffer,
  breaks: number,
  brokenAt = { bytes: 100_000, pauseMs: 1_000 },
) {
  const index = await breakingIndex({
    name: WHEEL,
    wheel,
    breaks,
    breakAfter: () => brokenAt.bytes,
    pauseMs: brokenAt.pauseMs, // by default long enough that what arrived is seen on the disk
  });
  onTestFinished(() => index[Symbol.asyncDispose]());
  for (const [name, value] of Object.entries(index.pipEnvironment)) vi.stubEnv(name, value);
  return index;
}

afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(!hasPip())('a package index that breaks off', { timeout: 120_000 }, () => {
  const download = (dir: string) => pipDownload({ requirement: 'engagement-probe==1.0', dir, onBytes() {} });

  test('delays the download, which continues until it is complete', async () => {
    await using dir = await temporaryDir();
    await using target = await temporaryDir();
    const wheel = await writeWheel(dir.path);
    const index = await useBreakingIndex(wheel, 2);
    await download(target.path);
    expect((await readFile(join(target.path, WHEEL))).equals(wheel)).toBe(true);
    expect(index.requests()).toBe(3);
  });

  test('delays it also when it breaks off before any byte of the package', async () => {
    await using dir = await temporaryDir();
    await using target = await temporaryDir();
    const wheel = await writeWheel(dir.path);
    const index = await useBreakingIndex(wheel, 2, { bytes: 0, pauseMs: 0 });
    await download(target.path);
    expect((await readFile(join(target.path, WHEEL))).equals(wheel)).toBe(true);
    expect(index.requests()).toBe(3);
  });

  test('ends the download with a reason in one line if it never sends all', async () => {
    await using dir = await temporaryDir();
    await using target = await temporaryDir();
    const index = await useBreakingIndex(await writeWheel(dir.path), Infinity);
    const failure = await download(target.path).catch((error: Error) => error.message);
    expect(failure).toMatch(/^[^\n]+pip[^\n]*: [^\n]+$/);
    expect(failure).not.toContain('ERROR: Exception:');
    expect(index.requests()).toBeGreaterThanOrEqual(5);
  });
});
