import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOutboundClient } from '../../src/outbound/outbound-client.ts';
import { eventually } from '../support/eventually.ts';
import { delivery, httpReceiver, send, testOutbound } from './support.ts';

describe('the body of a response', () => {
  test.each([
    ['1024 bytes are kept whole', 'a'.repeat(1024), 'a'.repeat(1024), false],
    ['1025 bytes are cut', 'a'.repeat(1025), 'a'.repeat(1024), true],
    ['a character across the cut is left out', `${'a'.repeat(1022)}€€`, 'a'.repeat(1022), true],
    ['a surrogate pair across the cut is left out', `${'a'.repeat(1021)}😀`, 'a'.repeat(1021), true],
    ['invalid bytes are replaced', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb', false],
  ])('%s', async (_what, sent, body, truncated) => {
    const receiver = await httpReceiver((_req, res) => res.end(sent));
    expect(await send(receiver.origin)).toMatchObject({ ok: true, body, truncated });
  });

  test('is well-formed text regardless of chunk boundaries', async () => {
    const parts: Buffer[] = [];
    const receiver = await httpReceiver(async (_req, res) => {
      for (const part of parts) {
        res.write(part);
        await setImmediate();
      }
      res.end();
    });
    const outbound = testOutbound();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
        fc.nat(40),
        fc.nat(40),
        async (sent, cut, keep) => {
          const bytes = Buffer.from(sent);
          parts.splice(0, parts.length, bytes.subarray(0, cut), bytes.subarray(cut));
          const result = await outbound.send(delivery(receiver.origin, { keepResponseBytes: keep }));
          expect(result).toMatchObject({ ok: true, truncated: bytes.length > keep });
          const body = result.ok ? result.body : '';
          expect(sent.startsWith(body)).toBe(true);
          expect(body.isWellFormed()).toBe(true);
          const room = keep - Buffer.byteLength(body);
          expect(room >= 0 && (body === sent || room < 4)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('of exactly 64 KiB is read completely, and the connection is kept', async () => {
    const receiver = await httpReceiver((_req, res) => res.end(Buffer.alloc(65_536, 'a')));
    const outbound = testOutbound();
    for (let i = 0; i < 2; i++) {
      expect(await outbound.send(delivery(receiver.origin))).toMatchObject({
        ok: true,
        status: 200,
        truncated: true,
      });
      await setImmediate();
    }
    expect(receiver.connections).toHaveLength(1);
  });

  test('without an end is read up to 64 KiB; then the connection is closed and the status counts', async () => {
    let written = 0;
    const receiver = await httpReceiver((_req, res) => {
      const chunk = Buffer.alloc(16_384, 'a');
      const write = () => {
        while (res.writable && res.write(chunk)) written += chunk.length;
      };
      res.on('drain', write);
      write();
    });
    const result = await send(receiver.origin);
    expect(result).toMatchObject({ ok: true, status: 200, body: 'a'.repeat(1024), truncated: true });
    expect(result.durationMs).toBeLessThan(10_000);
    const [connection] = receiver.connections;
    await eventually(() => connection?.destroyed);
    expect(written).toBeLessThan(16 * 1024 * 1024); // what the buffers of both sides took
  });

  test('can have another limit and length per caller', async () => {
    const receiver = await httpReceiver((_req, res) => res.end('a'.repeat(100_000)));
    const whole = { maxResponseBytes: 1_000_000, keepResponseBytes: 1_000_000 };
    expect(await send(receiver.origin, whole)).toMatchObject({ body: 'a'.repeat(100_000), truncated: false });
    const short = { maxResponseBytes: 10, keepResponseBytes: 1_000 };
    expect(await send(receiver.origin, short)).toMatchObject({
      ok: true,
      body: 'a'.repeat(1_000),
      truncated: true,
    });
  });

  test('of 40 MB is returned completely to a caller that allows it, without a noticeable delay', async () => {
    const sent = Buffer.alloc(40_000_000, 'a');
    const receiver = await httpReceiver((_req, res) => res.end(sent));
    const outbound = createOutboundClient({ allowPrivate: true, maxWireBytes: 50_000_000 });
    onTestFinished(() => outbound.close(0));
    const whole = { maxResponseBytes: sent.length, keepResponseBytes: sent.length, timeoutMs: 20_000 };
    const result = await outbound.send(delivery(receiver.origin, whole));
    expect(result).toMatchObject({ ok: true, truncated: false });
    expect(result.ok && result.body.length).toBe(sent.length);
    expect(result.durationMs).toBeLessThan(15_000);
  });
});
