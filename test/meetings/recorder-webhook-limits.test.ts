import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Types } from 'mongoose';
import { expect, test, vi } from 'vitest';
import { AppError } from '../../src/errors/app-error.ts';
import { type ClaimFilter, createRunner } from '../../src/features/meetings/sync/sync-runner.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { recorderWebhooks } from '../../src/http/recorder-webhooks.ts';

test('a tenant whose webhooks fail does not stop those of another tenant from the same address', async () => {
  const limited = new AppError('RATE_LIMITED', 'Rate limit exceeded.');
  const count = vi.fn(() => Promise.reject(limited));
  const receive = vi.fn(async () => false);
  const handle = recorderWebhooks({
    webhooks: {
      connectionOf: async (token: string) => (token === 'known' ? { _id: 7 } : null),
      receive,
    } as unknown as Parameters<typeof recorderWebhooks>[0]['webhooks'],
    failures: { isExceeded: () => true, count },
    clientNetwork: () => '192.0.2.1',
  });
  const post = (token: string) => {
    const req = Object.assign(Readable.from([Buffer.from('{}')]), { headers: {}, complete: true });
    return handle({
      req,
      res: {},
      handlerMethod: 'POST',
      path: `/hooks/recorder/${token}`,
    } as unknown as Exchange);
  };
  await expect(post('known')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(receive).toHaveBeenCalledOnce();
  expect(count).not.toHaveBeenCalled();
  await expect(post('unknown')).rejects.toBe(limited);
  expect(count).toHaveBeenCalledWith('192.0.2.1');
});

test('the backlog of one tenant leaves room for the notices of others', async () => {
  const queued = [7, 7, 7, 7, 7, 8].map((customerId) => ({
    _id: new Types.ObjectId(),
    customerId,
    lease: { token: 'token', expiresAt: new Date() },
  }));
  const finish: (() => void)[] = [];
  const started: number[] = [];
  const runner = createRunner({
    queue: {
      async claim({ id, exceptTenants }: ClaimFilter) {
        const index = queued.findIndex(
          (item) => !exceptTenants.includes(item.customerId) && (!id || item._id.equals(id)),
        );
        return index < 0 ? null : (queued.splice(index, 1)[0] ?? null);
      },
      release: async () => {},
    },
    work({ customerId }) {
      started.push(customerId);
      return new Promise<void>((resolve) => finish.push(resolve));
    },
    name: 'recorder notice',
    log: { error: vi.fn() } as never,
  });
  await runner.claimAll();
  expect(started).toEqual([7, 7, 8]);
  expect(await runner.claim(queued[0]?._id as Types.ObjectId)).toBe(false);
  finish[0]?.();
  await setImmediate();
  await runner.claimAll();
  expect(started).toEqual([7, 7, 8, 7]);
});
