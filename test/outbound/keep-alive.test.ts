import { once } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { delivery, httpReceiver, rawReceiver, tcpReceiver, testOutbound } from './support.ts';

describe('a keep-alive connection', () => {
  test('that the receiver closes as the next request arrives fails that request only', async () => {
    let requests = 0;
    const receiver = await httpReceiver((req, res) => {
      requests += 1;
      if (requests === 2) req.socket.resetAndDestroy();
      else res.end();
    });
    const outbound = testOutbound();
    const errors: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const result = await outbound.send(delivery(receiver.origin));
      errors.push(result.ok ? result.status : result.error);
      await setImmediate();
    }
    expect(errors).toEqual([200, 'connection_reset', 200]);
    expect(receiver.connections).toHaveLength(2);
  });

  test('that the receiver closes silently after each response fails no request', async () => {
    const receiver = await tcpReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    const outbound = testOutbound();
    const pause = [setImmediate, () => sleep(1), () => Promise.resolve()];
    for (let i = 0; i < 60; i++) {
      expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true, body: 'ok' });
      await pause[i % pause.length]?.();
    }
  });

  test('discards an unsolicited response instead of passing it to the next request', async () => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n';
    const receiver = await tcpReceiver((socket) => {
      socket.on('data', () => socket.write(`${ok}mine${ok}evil`));
    });
    const outbound = testOutbound();
    for (let i = 0; i < 3; i++) {
      expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true, body: 'mine' });
      // Time for the unrequested response to arrive.
      await sleep(20);
    }
  });

  test('is closed after 4 idle seconds, whatever the receiver requests', async () => {
    const receiver = await rawReceiver(
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=86400\r\ncontent-length: 0\r\n\r\n',
    );
    const outbound = testOutbound();
    expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: true });
    const [connection] = receiver.connections;
    if (connection === undefined) throw new Error('No connection was made.');
    const startedAt = performance.now();
    await once(connection, 'close');
    expect(performance.now() - startedAt).toBeGreaterThan(3_500);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('has no limit on the total size of its responses', async () => {
    const receiver = await httpReceiver((_req, res) => res.end(Buffer.alloc(400_000, 'a')));
    const outbound = testOutbound();
    for (let i = 0; i < 5; i++) {
      const result = await outbound.send(delivery(receiver.origin, { maxResponseBytes: 400_000 }));
      expect(result).toMatchObject({ ok: true, status: 200 });
      await setImmediate();
    }
    expect(receiver.connections).toHaveLength(1);
  });
});
