import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { httpReceiver, rawReceiver, send, tcpReceiver } from './support.ts';

describe('a request fails as http_protocol', () => {
  test.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a version that does not exist', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a bad header', 'HTTP/1.1 200 OK\r\nbad\u0001name: x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['headers above 16 KiB', `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['an unsolicited 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['interim responses without end', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)],
  ])('with %s', async (_what, response) => {
    const receiver = await rawReceiver(response);
    expect(await send(receiver.origin)).toMatchObject({ ok: false, error: 'http_protocol' });
  });
});

describe('a request fails as http_protocol, early and without reading further,', () => {
  test.each([
    ['a reason phrase', 'HTTP/1.1 200 '],
    ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;'],
    ['a header', 'HTTP/1.1 200 OK\r\nx-long: '],
    ['a trailer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-long: '],
  ])('when %s has no end', async (_what, head) => {
    const receiver = await tcpReceiver((socket) =>
      socket.once('data', () => {
        const more = () => {
          while (socket.writable && socket.write(Buffer.alloc(65_536, 'a')));
        };
        socket.write(head);
        socket.on('drain', more);
        more();
      }),
    );
    const result = await send(receiver.origin);
    expect(result).toMatchObject({ ok: false, error: 'http_protocol' });
    expect(result.durationMs).toBeLessThan(10_000);
    await eventually(() => receiver.connections[0]?.destroyed);
    expect(receiver.connections[0]?.bytesWritten).toBeLessThan(16 * 1024 * 1024); // what the buffers of both sides took
  });
});

describe('a request fails', () => {
  test('as connection_refused when no process listens', async () => {
    expect(await send('http://127.0.0.1:1/')).toMatchObject({
      ok: false,
      error: 'connection_refused',
      status: undefined,
    });
  });

  test.each([
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('as connection_reset when the receiver %s before it responds', async (_what, end) => {
    const receiver = await tcpReceiver((socket) => socket.once('data', () => end(socket)));
    expect(await send(receiver.origin)).toMatchObject({
      ok: false,
      error: 'connection_reset',
      status: undefined,
    });
  });

  test('as connection_reset, with the status, when a body is cut off', async () => {
    const receiver = await tcpReceiver((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () => socket.destroy());
      }),
    );
    expect(await send(receiver.origin)).toMatchObject({ ok: false, error: 'connection_reset', status: 200 });
  });

  test('as network for headers that are invalid', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    expect(await send(receiver.origin, { headers: { 'x-bad': 'a\r\nb' } })).toMatchObject({
      error: 'network',
    });
    expect(receiver.connections).toHaveLength(0);
  });
});
