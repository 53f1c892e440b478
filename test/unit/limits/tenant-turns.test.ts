import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Principal } from '../../../src/features/tenants/tenants.types.ts';
import { createTenantTurns, type TenantTurns } from '../../../src/limits/tenant-turns.ts';

const READ_MS = 20;

const principal = (customerId: number): Principal => ({
  keyId: `key-${customerId}`,
  keyName: null,
  keyPrefix: 'eg_r_abcdef',
  resources: null,
  networks: null,
  scope: 'read',
  expiresAt: null,
  tenant: { customerId, orgId: '', name: '', createdAt: new Date(0) },
});
const [first, second] = [principal(1), principal(2)];

/** Runs reads of one tenant; returns the times at which each began, and the most that ran at a time. */
async function runReads(turns: TenantTurns, owner: Principal, count: number) {
  let running = 0;
  let most = 0;
  const startedAt: number[] = [];
  const read = () =>
    turns.run(owner, async () => {
      startedAt.push(performance.now());
      running += 1;
      most = Math.max(most, running);
      await sleep(READ_MS);
      running -= 1;
    });
  await Promise.all(Array.from({ length: count }, read));
  return { startedAt, most };
}

test('a tenant executes one large read at a time', async () => {
  const { most } = await runReads(createTenantTurns(), first, 5);
  expect(most).toBe(1);
});

test('a read that throws before it returns a promise rejects, and the next one has its turn', async () => {
  const turns = createTenantTurns();
  const failing = turns.run(first, () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect((await runReads(turns, first, 1)).most).toBe(1);
});

test('large reads of two tenants run concurrently', async () => {
  const turns = createTenantTurns();
  let running = 0;
  const bothRun = Promise.withResolvers<void>();
  const read = async () => {
    running += 1;
    if (running === 2) bothRun.resolve();
    await bothRun.promise;
  };
  await Promise.all([turns.run(first, read), turns.run(second, read)]);
  expect(running).toBe(2);
});

test('a tenant pauses between large reads while another one is active', async () => {
  const turns = createTenantTurns();
  turns.recordRequest(second);
  turns.recordRequest(first);
  const { startedAt } = await runReads(turns, first, 2);
  const [begun = 0, next = 0] = startedAt;
  expect(next - begun).toBeGreaterThan(3.5 * READ_MS);
});

test('a tenant does not pause while it is the only one', async () => {
  let now = 0;
  const turns = createTenantTurns(() => now);
  turns.recordRequest(second);
  now = 1_000;
  turns.recordRequest(first);
  const startedAt = performance.now();
  const longRead = async () => {
    now += 60_000;
  };
  await turns.run(first, longRead);
  await turns.run(first, longRead);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('a failed read rejects, and the next one runs', async () => {
  const turns = createTenantTurns();
  const failed = turns.run(first, () => Promise.reject(new Error('failed')));
  await expect(failed).rejects.toThrow('failed');
  expect(await turns.run(first, async () => 'read')).toBe('read');
});

test('a read whose request ends before its turn rejects at once', async () => {
  const turns = createTenantTurns();
  const gate = Promise.withResolvers<void>();
  const running = turns.run(first, () => gate.promise);
  const request = new AbortController();
  const waiting = turns.run(first, async () => request.signal.throwIfAborted(), { signal: request.signal });
  request.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  gate.resolve();
  await running;
  expect((await runReads(turns, first, 1)).most).toBe(1);
});
