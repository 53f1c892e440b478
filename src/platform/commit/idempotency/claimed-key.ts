import { mayHaveChanged } from '../../../errors/to-app-error.ts';
import type { IdempotencyDoc } from './idempotency.model.ts';
import type {
  IdempotencyRecords,
  IdempotencyRecordsDeps,
  IdempotentValue,
  KeyedRequest,
  Outcome,
} from './idempotency-records.ts';

/** Maximum duration of an operation: if a claim has no outcome by then, its process has died. */
const CLAIM_MS = 60_000;

/**
 * The protocol of an operation that makes no change, or changes outside of one commit. The record claims the key before
 * the operation begins, and is completed with the response. A claim that stays without a response means that the
 * operation may have made changes, so it is not executed again.
 */
export function createClaimedKeys({
  store,
  clock,
  log,
  records,
}: Pick<IdempotencyRecordsDeps, 'store' | 'clock' | 'log'> & { records: IdempotencyRecords }) {
  async function complete(request: KeyedRequest, claim: IdempotencyDoc, value: unknown): Promise<void> {
    const response = await records.encryptResponse(request, value, 'claimed');
    await (response === null ? store.abandon(claim, clock.now()) : store.completeClaim(claim, response));
  }

  async function execute<T>(
    request: KeyedRequest,
    claim: IdempotencyDoc,
    operation: () => Promise<Outcome<T>>,
  ): Promise<IdempotentValue<T>> {
    const finish = async (write: Promise<void>) => {
      await write.catch((error: unknown) => {
        log.warn({ err: error }, 'failed to store the outcome of an Idempotency-Key');
      });
    };
    const failed = (hasChanged: boolean) =>
      finish(hasChanged ? store.abandon(claim, clock.now()) : store.release(claim));
    let outcome: Outcome<T>;
    try {
      outcome = await operation();
    } catch (error) {
      await failed(mayHaveChanged(error));
      throw error;
    }
    const { value, isSuccess } = outcome;
    if (!isSuccess) await failed(outcome.mayHaveChanged === true);
    else await finish(complete(request, claim, value));
    return { value, replayed: false };
  }

  /** Claims the key and executes the operation, or returns the response to an earlier request. */
  return async <T>(
    request: KeyedRequest,
    operation: () => Promise<Outcome<T>>,
  ): Promise<IdempotentValue<T>> => {
    for (;;) {
      const { response } = await records.earlier<T>(request);
      if (response) return response;
      const now = clock.now();
      const claim = records.newRecord(request, { claimedUntil: new Date(now.getTime() + CLAIM_MS) });
      if (await store.claim(claim, now)) return execute(request, claim, operation);
    }
  };
}
