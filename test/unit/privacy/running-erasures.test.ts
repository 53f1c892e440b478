import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { erasureService } from '../../../src/features/erasure/erasure.service.ts';
import { MAX_RUNNING_ERASURES } from '../../../src/features/erasure/erasure.types.ts';
import type { ErasureJobs } from '../../../src/features/erasure/erasure-jobs.ts';
import type { ErasureStore } from '../../../src/features/erasure/erasures.store.ts';
import type { PrivacyKey, PrivacyKeyStore } from '../../../src/features/privacy/privacy-keys.store.ts';
import { systemClock } from '../../../src/platform/clock.ts';

test('requests at the same time start no more erasures than may run', async () => {
  let running = MAX_RUNNING_ERASURES - 3;
  const service = erasureService({
    erasures: {
      async countRunning() {
        const counted = running;
        await setImmediate();
        return counted;
      },
      countRepeated: async () => 0,
    } as unknown as ErasureStore,
    jobs: {
      async start(jobs: readonly unknown[]) {
        await setImmediate();
        running += jobs.length;
        return jobs;
      },
    } as unknown as ErasureJobs,
    privacyKeys: {
      findOrCreate: async () =>
        ({ hash: (identifier) => identifier, encrypt: (text) => text }) as Partial<PrivacyKey>,
    } as unknown as PrivacyKeyStore,
    clock: systemClock,
  });
  const people = (name: string) => [{ email: `${name}@example.com` }, { visitorId: name }];
  const started = await Promise.allSettled(
    ['a', 'b', 'c'].map((name) => service.startMany({ customerId: 1 }, { people: people(name) }, null)),
  );
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(running).toBe(MAX_RUNNING_ERASURES - 1);
});
