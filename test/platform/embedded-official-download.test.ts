import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { installMongod } from '../../src/runtime/embedded/install-mongod.ts';
import { downloadOfficial } from '../../src/runtime/embedded/official-download.ts';
import { list, temporaryDir } from '../support/embedded.ts';

const received: number[] = [];
const progress = { start: () => ({ update: (done: number) => void received.push(done), stop() {} }) };

/** A mirror on loopback, in place of MongoDB's own server. */
async function mirror(answer: RequestListener): Promise<AsyncDisposable> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  vi.stubEnv('MONGOMS_DOWNLOAD_MIRROR', `http://127.0.0.1:${port}`);
  vi.stubEnv('MONGOMS_USE_HTTP', 'true');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A `.tgz` as MongoDB publishes it, with a script for a `mongod` (POSIX ustar). */
function archive(): Buffer {
  const body = Buffer.from('#!/bin/sh\necho "db version v8.2.6"\n');
  const header = Buffer.alloc(512);
  header.write('mongodb/bin/mongod', 0);
  header.write('0000755\0', 100);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  header.write('0', 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc(512 - body.length + 1024);
  return gzipSync(Buffer.concat([header, body, padding]));
}

const download = (dir: string, stallMs?: number) =>
  installMongod(join(dir, 'bin'), (work) => downloadOfficial({ dir: work, progress, stallMs }));

afterEach(() => void vi.unstubAllEnvs());

describe('official download', () => {
  test('fails over at once when the connection is refused', async () => {
    await using dir = await temporaryDir();
    await using _mirror = await mirror((_request, response) => response.writeHead(403).end());
    const started = Date.now();
    await expect(download(dir.path)).rejects.toThrow(/403/);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(await list(join(dir.path, 'bin'))).toEqual([]);
  });

  test('fails over within 10 seconds when the server does not respond', async () => {
    await using dir = await temporaryDir();
    await using _mirror = await mirror(() => {});
    const started = Date.now();
    await expect(download(dir.path)).rejects.toThrow(/nothing received .* for 8 s/);
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(await list(join(dir.path, 'bin'))).toEqual([]);
  });

  test('fails over when the download stalls', async () => {
    await using dir = await temporaryDir();
    await using _mirror = await mirror((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('half');
    });
    await expect(download(dir.path, 400)).rejects.toThrow(/nothing received/);
    expect(await list(join(dir.path, 'bin'))).toEqual([]);
  });

  test('has no time limit while it makes progress, shows it, and is cached once it runs', async () => {
    await using dir = await temporaryDir();
    const content = archive();
    await using _mirror = await mirror(async (request, response) => {
      if (request.url?.endsWith('.sha256')) {
        // As MongoDB publishes it: `<hash>  <file name>`.
        const sum = `${createHash('sha256').update(content).digest('hex')}  mongodb.tgz\n`;
        response.writeHead(200, { 'content-length': sum.length }).end(sum);
        return;
      }
      response.writeHead(200, { 'content-length': content.length });
      const step = Math.ceil(content.length / 8);
      for (let at = 0; at < content.length; at += step) {
        response.write(content.subarray(at, at + step));
        await sleep(1_300);
      }
      response.end();
    });
    const installed = await download(dir.path, 5_000); // the whole takes twice as long
    expect(installed).toEqual({ path: join(dir.path, 'bin', 'mongod-8.2.6'), version: '8.2.6' });
    expect(await list(join(dir.path, 'bin'))).toEqual(['mongod-8.2.6']);
    expect(received).toContain(content.length);
  });

  test.each([
    ['does not match its SHA-256', createHash('sha256').update('another archive').digest('hex'), /SHA-256/],
    ['has only an MD5', createHash('md5').update(archive()).digest('hex'), /no SHA-256/],
  ])('rejects an archive that %s', async (_name, published, reason) => {
    await using dir = await temporaryDir();
    await using _mirror = await mirror((request, response) => {
      const body = /\.(md5|sha256)$/.test(request.url ?? '') ? published : archive();
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
    await expect(download(dir.path)).rejects.toThrow(reason);
    expect(await list(join(dir.path, 'bin'))).toEqual([]);
  });
});
