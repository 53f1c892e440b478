import { setTimeout as sleep } from 'node:timers/promises';
import { atMost } from '../../platform/at-most.ts';
import type { Runner } from '../../platform/leases/queue-runner.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { DeliveryPolicy } from './erasure.types.ts';
import type { ErasureDoc } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/** Jobs that are inserted at a time. */
const INSERTED_AT_ONCE = 16;
const POLL_INTERVAL_MS = 50;

interface NewJob extends Pick<ErasureDoc, 'customerId' | 'createdBy' | 'startedAt'> {
  policy: { dryRun?: boolean | null; deliveries?: DeliveryPolicy | null };
}

/** Returns a job that has not begun, apart from its subject. */
export const newJob = ({ customerId, createdBy, startedAt, policy }: NewJob) => ({
  _id: newObjectId(startedAt),
  customerId,
  status: 'running' as const,
  dryRun: policy.dryRun ?? false,
  deliveries: policy.deliveries ?? 'cancel',
  counts: {},
  createdBy,
  startedAt,
  finishedAt: null,
  error: null,
  lease: { expiresAt: startedAt },
  claims: 0,
});

interface Deps {
  erasures: ErasureStore;
  /** Null if this process runs no erasures. */
  runner: Pick<Runner, 'claim'> | null;
  /** Makes the job due now, for a worker of any process. */
  requestRun: () => Promise<void>;
}

/** Starts erasures, and waits for them. */
export function createErasureJobs({ erasures, runner, requestRun }: Deps) {
  const current = async (erasure: ErasureDoc): Promise<ErasureDoc> =>
    (await erasures.findById({ customerId: erasure.customerId }, erasure._id.toHexString())) ?? erasure;

  return {
    /** Inserts jobs and makes them due. Returns for each the running one of the same subject if there is one. */
    async start<Jobs extends ErasureDoc[]>(jobs: readonly [...Jobs]): Promise<Jobs> {
      const stored = jobs.slice();
      await atMost(INSERTED_AT_ONCE, jobs.keys(), async (index) => {
        stored[index] = await erasures.insert(jobs[index]);
      });
      if (!runner) await requestRun();
      else for (const { _id } of stored) if (!(await runner.claim(_id))) break;
      return stored as Jobs;
    },

    /** Waits for the end of a job for at most `waitMs`, and no longer than until `signal` aborts. */
    async untilEnded(erasure: ErasureDoc, waitMs: number, signal?: AbortSignal): Promise<ErasureDoc> {
      const deadline = performance.now() + waitMs;
      let latest = erasure;
      while (latest.status === 'running' && !signal?.aborted && performance.now() < deadline) {
        await sleep(POLL_INTERVAL_MS);
        latest = await current(latest);
      }
      return latest;
    },

    /** Waits for the end of a job, and continues it whenever it is due: for a command, beside which no job runs. */
    async complete(erasure: ErasureDoc): Promise<ErasureDoc> {
      let latest = erasure;
      while (latest.status === 'running') {
        await sleep(POLL_INTERVAL_MS);
        await runner?.claim(latest._id);
        latest = await current(latest);
      }
      return latest;
    },
  };
}

export type ErasureJobs = ReturnType<typeof createErasureJobs>;
