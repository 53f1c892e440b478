import { Types } from 'mongoose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClaimedNotice } from '../../../src/features/meetings/webhook/notice.model.ts';
import { createNoticeProcessing } from '../../../src/features/meetings/webhook/notice-processing.ts';

type Deps = Parameters<typeof createNoticeProcessing>[0];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const AT = new Date('2026-01-01T09:00:00Z');
const HEARTBEAT_MS = 2_000;
/** Lets the lease of the notice that is being processed be found lost. */
const outlastLease = () => vi.advanceTimersByTimeAsync(HEARTBEAT_MS);

/** Processes a notice whose lease is found lost at the first heartbeat. */
async function processed(
  attempts: number,
  { meeting, write }: Record<'meeting' | 'write', () => Promise<unknown>>,
) {
  const finish = vi.fn();
  const log = { warn: vi.fn(), info: vi.fn() };
  const writeMeetings = vi.fn(write);
  const deps = {
    provider: { meeting },
    connections: { find: async () => ({ encryptedApiKey: '' }) },
    writeMeetings,
    notices: { renew: async () => false, finish },
    providerKeyCipher: { decrypt: () => '' },
    clock: { now: () => AT },
    log,
  };
  const notice: ClaimedNotice = {
    ...{
      _id: new Types.ObjectId(),
      customerId: 7,
      webhookId: 'w',
      type: 'changed',
      meetingId: 'm1',
      createdAt: AT,
    },
    ...{ status: 'pending', receivedAt: AT, lease: { token: 't', expiresAt: AT }, attempts },
  };
  await createNoticeProcessing(deps as unknown as Deps)(notice, new AbortController().signal);
  return {
    writes: writeMeetings.mock.calls.length,
    results: finish.mock.calls.map(([, , status]) => status),
  };
}

const fetched = async () => ({ id: 'm1' });

test('a notice whose meeting was stored is done, also if its lease was lost meanwhile', async () => {
  expect(await processed(1, { meeting: fetched, write: outlastLease })).toEqual({
    writes: 1,
    results: ['done'],
  });
});

test('a notice whose lease was lost before its meeting was stored is left to the next claim', async () => {
  const meeting = async () => {
    await outlastLease();
    return fetched();
  };
  expect(await processed(8, { meeting, write: fetched })).toEqual({ writes: 0, results: [] });
});

test('a notice fails once each of its attempts has outlasted the lease', async () => {
  expect(await processed(9, { meeting: fetched, write: fetched })).toEqual({
    writes: 0,
    results: ['failed'],
  });
});
