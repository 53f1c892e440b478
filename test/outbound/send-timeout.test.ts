import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OutboundResult } from '../../src/outbound/outbound-request.ts';
import { eventually } from '../support/eventually.ts';
import { delivery, httpReceiver, type Receiver, send, tcpReceiver, testOutbound } from './support.ts';

const TIMEOUT = 3_000;
/** Delay that a loaded machine may add. */
const DELAY = 10_000;

/** The attempt ended at its timeout, and left no connection behind. */
async function expectTimeout(result: OutboundResult, receiver?: Receiver, status?: number): Promise<void> {
  expect(result).toMatchObject({ ok: false, error: 'timeout', status });
  expect(result.durationMs).toBeGreaterThanOrEqual(TIMEOUT - 1);
  expect(result.durationMs).toBeLessThan(TIMEOUT + DELAY);
  await eventually(() => !receiver?.connections.some((socket) => !socket.destroyed));
}

/** A port whose queue of connections is full, so that the next one is left waiting: its process never accepts any. */
async function fullPort(): Promise<number> {
  const script = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    require('fs').writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const process = spawn(execPath, ['--eval', script]);
  const fillers: Socket[] = [];
  onTestFinished(() => {
    for (const socket of fillers) socket.destroy();
    process.kill('SIGKILL');
  });
  const [port] = await once(process.stdout, 'data');
  let isFull = false;
  while (!isFull) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    fillers.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), sleep(300, true)]);
  }
  return Number(port);
}

describe('a request ends at its timeout', () => {
  test('when the look-up hangs', async () => {
    const outbound = testOutbound({ lookup: () => new Promise(() => {}) });
    await expectTimeout(await outbound.send(delivery('http://receiver.test/', { timeoutMs: TIMEOUT })));
  });

  test('when the look-up is late, and no connection is opened then', async () => {
    const receiver = await tcpReceiver(() => {});
    const lookup = () => sleep(TIMEOUT + 50, [{ address: '127.0.0.1', family: 4 }]);
    const url = `http://receiver.test:${receiver.port}/`;
    await expectTimeout(await testOutbound({ lookup }).send(delivery(url, { timeoutMs: TIMEOUT })), receiver);
    expect(receiver.connections.length).toBe(0);
  });

  test('when connecting hangs', async () => {
    const port = await fullPort();
    await expectTimeout(await send(`http://127.0.0.1:${port}/`, { timeoutMs: TIMEOUT }));
  });

  test('when the TLS handshake hangs', async () => {
    const receiver = await tcpReceiver((socket) => socket.resume());
    const result = await send(`https://127.0.0.1:${receiver.port}/`, { timeoutMs: TIMEOUT });
    await expectTimeout(result, receiver);
  });

  test('when no response comes', async () => {
    const receiver = await httpReceiver(() => {});
    await expectTimeout(await send(receiver.origin, { timeoutMs: TIMEOUT }), receiver);
  });

  test('when the receiver does not read the request', async () => {
    const receiver = await tcpReceiver((socket) => socket.pause());
    const result = await send(receiver.origin, { timeoutMs: TIMEOUT, body: Buffer.alloc(20_000_000) });
    for (const socket of receiver.connections) socket.resume(); // a paused socket does not notice its end
    await expectTimeout(result, receiver);
  });

  test.each([
    ['the headers', 'HTTP/1.1 200 OK\r\nx-drip: ', undefined],
    ['the interim responses', '', undefined],
    ['the body', 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n', 200],
    ['the chunks', 'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n1388\r\n', 201],
  ])('under slow arrival of %s', async (what, head, status) => {
    const drop = what === 'the interim responses' ? 'HTTP/1.1 103 Early Hints\r\n\r\n' : 'a';
    const receiver = await tcpReceiver((socket) =>
      socket.once('data', async () => {
        socket.write(head);
        while (!socket.destroyed) {
          socket.write(drop);
          await sleep(TIMEOUT / 5);
        }
      }),
    );
    await expectTimeout(await send(receiver.origin, { timeoutMs: TIMEOUT }), receiver, status);
  });

  test('when many requests hang, without delaying another receiver', async () => {
    const dead = await tcpReceiver((socket) => socket.resume());
    const alive = await httpReceiver((_req, res) => res.end());
    const outbound = testOutbound();
    const hanging = Array.from({ length: 64 }, () =>
      outbound.send(delivery(dead.origin, { timeoutMs: 10_000 })),
    );
    await eventually(() => dead.connections.length === 64);
    const quick = await outbound.send(delivery(alive.origin, { timeoutMs: 30_000 }));
    expect(quick).toMatchObject({ ok: true });
    expect(quick.durationMs).toBeLessThan(8_000);
    for (const result of await Promise.all(hanging))
      expect(result).toMatchObject({ ok: false, error: 'timeout' });
    const isClosed = () => expect(dead.connections.filter((socket) => !socket.destroyed).length).toBe(0);
    await vi.waitFor(isClosed, 30_000);
  });

  test('when a keep-alive connection becomes silent', async () => {
    let requests = 0;
    const receiver = await httpReceiver((_req, res) => {
      requests += 1;
      if (requests === 1) res.end();
    });
    const outbound = testOutbound();
    const warmUp = await outbound.send(delivery(receiver.origin, { timeoutMs: 30_000 }));
    expect(warmUp).toMatchObject({ ok: true });
    // The pool takes the connection back after the response; before that the next request would open another one.
    await sleep(10);
    await expectTimeout(await outbound.send(delivery(receiver.origin, { timeoutMs: TIMEOUT })), receiver);
    expect(requests).toBe(2);
  });
});
