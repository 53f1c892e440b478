import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pipDownload } from '../../src/runtime/embedded/pip-download.ts';
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

/** A slow package index that breaks off the first responses with the wheel after a part of it. */
async function breakingIndex(wheel: Buffer, breaks: number) {
  let requests = 0;
  async function sendWheel({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    const rest = wheel.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'accept-ranges': 'bytes',
      'content-length': rest.length,
      'content-type': 'application/octet-stream',
      etag: '"1"',
      ...(from > 0 && { 'content-range': `bytes ${from}-${wheel.length - 1}/${wheel.length}` }),
    });
    const isBroken = requests <= breaks;
    for (let sent = 0; sent < rest.length; sent += 50_000) {
      if (isBroken && sent >= 100_000) {
        // Long enough that what arrived is seen on the disk.
        await sleep(1_000);
        response.destroy();
        return;
      }
      response.write(rest.subarray(sent, sent + 50_000));
      await sleep(50);
    }
    response.end();
  }
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.whl')) void sendWheel(request, response);
    else response.setHeader('content-type', 'text/html').end(`<a href="/${WHEEL}">${WHEEL}</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('PIP_CONFIG_FILE', '/dev/null');
  vi.stubEnv('PIP_INDEX_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`);
  vi.stubEnv('PIP_NO_CACHE_DIR', '1');
  return { requests: () => requests };
}

afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(!hasPip())('a package index that breaks off', { timeout: 120_000 }, () => {
  const download = (dir: string) => pipDownload({ requirement: 'engagement-probe==1.0', dir, onBytes() {} });

  test('delays the download, which continues until it is complete', async () => {
    await using dir = await temporaryDir();
    await using target = await temporaryDir();
    const wheel = await writeWheel(dir.path);
    const index = await breakingIndex(wheel, 2);
    await download(target.path);
    expect((await readFile(join(target.path, WHEEL))).equals(wheel)).toBe(true);
    expect(index.requests()).toBe(3);
  });

  test('ends the download with a reason in one line if it never sends all', async () => {
    await using dir = await temporaryDir();
    await using target = await temporaryDir();
    const index = await breakingIndex(await writeWheel(dir.path), Infinity);
    const failure = await download(target.path).catch((error: Error) => error.message);
    expect(failure).toMatch(/^[^\n]+pip[^\n]*: [^\n]+$/);
    expect(index.requests()).toBeGreaterThanOrEqual(5);
  });
});
