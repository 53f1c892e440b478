import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two chunks of a response. */
const CHUNK_INTERVAL_MS = 50;

interface BreakingIndexOptions {
  /** File name of the wheel. */
  name: string;
  wheel: Buffer;
  /** Number of responses with the wheel that break off. */
  breaks: number;
  /** Returns the number of bytes after which a response of `length` bytes breaks off. */
  breakAfter(length: number): number;
  /** Time between the last byte of such a response and the end of its connection. */
  pauseMs?: number;
  bytesPerSecond?: number;
}

interface BreakingIndex extends AsyncDisposable {
  /** Settings for a pip that uses only this index. */
  pipEnvironment: Record<string, string>;
  /** Number of requests for the wheel. */
  requests(): number;
  /** Number of its responses that broke off. */
  broken(): number;
  /** Bytes that range requests left out, since pip had them. */
  resumedBytes(): number;
  /** Bytes that were sent more than once. */
  repeatedBytes(): number;
}

/** Starts a slow package index of one wheel, which breaks off the first responses with it and supports range requests. */
export async function breakingIndex(options: BreakingIndexOptions): Promise<BreakingIndex> {
  const { name, wheel, breaks, breakAfter, pauseMs = 0, bytesPerSecond = 1_000_000 } = options;
  const chunkBytes = Math.ceil((bytesPerSecond * CHUNK_INTERVAL_MS) / 1000);
  let [requests, broken, resumedBytes, sentBytes, reachedBytes] = [0, 0, 0, 0, 0];

  async function sendWheel({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const isBroken = requests <= breaks;
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    const rest = wheel.subarray(from);
    const end = isBroken ? Math.min(breakAfter(rest.length), rest.length - 1) : rest.length;
    resumedBytes += from;
    response.writeHead(from > 0 ? 206 : 200, {
      'accept-ranges': 'bytes',
      'content-length': rest.length,
      'content-type': 'application/octet-stream',
      etag: '"1"',
      ...(from > 0 && { 'content-range': `bytes ${from}-${wheel.length - 1}/${wheel.length}` }),
    });
    response.flushHeaders();
    for (let sent = 0; sent < end && !response.destroyed; sent += chunkBytes) {
      const chunk = rest.subarray(sent, Math.min(sent + chunkBytes, end));
      response.write(chunk);
      sentBytes += chunk.length;
      reachedBytes = Math.max(reachedBytes, from + sent + chunk.length);
      await sleep(CHUNK_INTERVAL_MS);
    }
    if (!isBroken) return void response.end();
    await sleep(pauseMs);
    broken += 1;
    response.destroy();
  }

  const server = createServer((request, response) => {
    if (request.url?.endsWith('.whl')) void sendWheel(request, response);
    else response.setHeader('content-type', 'text/html').end(`<a href="/${name}">${name}</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    pipEnvironment: {
      PIP_CONFIG_FILE: '/dev/null',
      PIP_INDEX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
      PIP_NO_CACHE_DIR: '1',
    },
    requests: () => requests,
    broken: () => broken,
    resumedBytes: () => resumedBytes,
    repeatedBytes: () => sentBytes - reachedBytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
