import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { delivery, httpReceiver, tcpReceiver, testOutbound } from './support.ts';

const isOpen = (socket: { destroyed: boolean }) => !socket.destroyed;

describe('close', () => {
  test('finishes requests in progress, closes idle connections and rejects new requests', async () => {
    const receiver = await httpReceiver((_req, res) => setTimeout(() => res.end('late'), 200));
    const outbound = testOutbound();
    const underWay = outbound.send(delivery(receiver.origin));
    await eventually(() => receiver.connections.length === 1);
    const closed = outbound.close(60_000);
    expect(await outbound.send(delivery(receiver.origin))).toMatchObject({ ok: false, error: 'aborted' });
    await closed;
    expect(await underWay).toMatchObject({ ok: true, body: 'late' });
    await eventually(() => !receiver.connections.some(isOpen));
    expect(receiver.connections).toHaveLength(1);
  });

  test('aborts requests still in progress after the grace period, in every phase', async () => {
    const silent = await tcpReceiver((socket) => socket.resume());
    const outbound = testOutbound({
      lookup: (name) => (name === 'slow.test' ? new Promise(() => {}) : Promise.reject(new Error('none'))),
    });
    const underWay = [silent.origin, `https://127.0.0.1:${silent.port}/`, 'http://slow.test/'].map((url) =>
      outbound.send(delivery(url, { timeoutMs: 60_000 })),
    );
    await eventually(() => silent.connections.length === 2);
    const startedAt = performance.now();
    await Promise.all([outbound.close(200), outbound.close(200)]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    for (const result of await Promise.all(underWay)) expect(result).toMatchObject({ error: 'aborted' });
    await eventually(() => !silent.connections.some(isOpen));
  });

  test('returns at once when idle', async () => {
    const startedAt = performance.now();
    await testOutbound().close(60_000);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

describe('an abort signal', () => {
  test('aborts a request in progress, and closes its connection', async () => {
    const receiver = await httpReceiver(() => {});
    const caller = new AbortController();
    const sent = testOutbound().send(delivery(receiver.origin, { signal: caller.signal }));
    await eventually(() => receiver.connections.length === 1);
    caller.abort();
    expect(await sent).toMatchObject({ ok: false, error: 'aborted' });
    await eventually(() => !receiver.connections.some(isOpen));
  });

  test('that is already aborted prevents the request', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    const result = await testOutbound().send(delivery(receiver.origin, { signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ ok: false, error: 'aborted' });
    expect(receiver.connections.length).toBe(0);
  });
});
