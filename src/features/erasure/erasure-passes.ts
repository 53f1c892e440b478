import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HeldLease } from '../../platform/leases/lease.ts';
import { addCounts, type Counts, type ErasureContext, type ErasureStep } from '../privacy/erasure-step.ts';
import type { Replaced } from '../privacy/personal-scan.ts';
import type { ClaimedErasure, ErasureProgress, PendingBatch } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/** Pause and longest wait of a job that waits for deliveries. Milliseconds. */
export const DELIVERY_WAIT_MS = { pause: 2_000, longest: 24 * 60 * 60_000 };

/** Pause before a job asks again whether writes have ended. Milliseconds. */
export const WRITES_PAUSE_MS = 1_000;

interface Work {
  steps: readonly ErasureStep[];
  context: () => ErasureContext;
  /** Passes after which the work ends although the last one found something; absent for no limit. */
  maxPasses?: number;
  /** Returns true if a pass that begins now cannot be the last one. */
  isUnsettled?: () => boolean;
  /** Awaited before each pass; false while writes are in progress that a pass which begins now could miss. */
  awaitWrites?: (stop: AbortSignal) => Promise<boolean>;
  /** Pause before a pass is repeated that left something out, or could not be the last one. Milliseconds. */
  pauseMs: number;
}

/** Permission of a process to work on a job. */
export interface Hold {
  /** Aborts when this process must stop working on the job. */
  stop: AbortSignal;
  lease: HeldLease;
}

/** Returns the progress of a job that has not begun. */
export const firstPass = (steps: readonly ErasureStep[]): ErasureProgress => newPass(steps, 1, false);

const newPass = (steps: readonly ErasureStep[], pass: number, isWaiting: boolean): ErasureProgress => ({
  pass,
  step: steps[0]?.name ?? '',
  after: null,
  hasFound: false,
  isWaiting,
  hasBegun: false,
  batch: null,
});

/**
 * Returns what this erasure has done in a batch.
 *
 * @param isRepeated true if a process may have erased a part of the batch and died: texts that are not found any more
 *   then count, although another erasure can have replaced some of them
 */
function countsOf(
  { ids, counts }: PendingBatch,
  { replaced, isRepeated }: { replaced: Replaced | undefined; isRepeated: boolean },
): Counts {
  if (!replaced) return counts;
  return { redacted_texts: isRepeated ? ids.length - replaced.skipped : replaced.replaced };
}

const isCounted = (counts: object): boolean => Object.values(counts).some((count) => count > 0);

/** Creates the engine of erasures: passes over all steps, until one finds nothing. */
export function createPasses({ erasures, clock }: { erasures: ErasureStore; clock: Clock }) {
  /** Runs the steps from the stored position on. Returns true at the end; false if another claim continues. */
  return async function runPasses(
    erasure: ClaimedErasure,
    { steps, context, maxPasses, isUnsettled = () => false, awaitWrites = async () => true, pauseMs }: Work,
    { stop, lease }: Hold,
  ): Promise<boolean> {
    const tenant = { customerId: erasure.customerId };
    const claim = { id: erasure._id, token: erasure.lease.token };
    const start = (pass: number) => newPass(steps, pass, isUnsettled());
    const progress = erasure.progress ?? start(1);
    erasure.progress = progress;

    function toNext(next: unknown): void {
      progress.after = next;
      if (next !== null) return;
      const index = steps.findIndex(({ name }) => name === progress.step);
      progress.step = steps[index + 1]?.name ?? '';
    }

    for (;;) {
      if (!erasure.dryRun && !progress.hasBegun && !(await awaitWrites(stop))) {
        await erasures.release(tenant, claim, new Date(clock.now().getTime() + WRITES_PAUSE_MS));
        return false;
      }
      progress.hasBegun = true;
      let batchAt = performance.now();
      while (progress.step !== '') {
        await pauseAfterBatch(batchAt);
        batchAt = performance.now();
        stop.throwIfAborted();
        if (!lease.isHeld()) return false;
        const step = steps.find(({ name }) => name === progress.step);
        if (!step) throw new Error(`The erasure has the unknown step ${progress.step}.`);
        const isRepeated = progress.batch !== null;
        if (!progress.batch) {
          const {
            ids,
            counts,
            next,
            isWaiting = false,
            isRepair = false,
          } = await step.find(context(), progress.after);
          progress.isWaiting ||= isWaiting;
          if (ids.length > 0 || isCounted(counts)) progress.batch = { ids, counts, next, isRepair };
          else toNext(next);
          if (progress.batch && !(await erasures.advance(tenant, claim, progress, erasure.counts)))
            return false;
        }
        if (!progress.batch) continue;
        const { batch } = progress;
        const replaced = erasure.dryRun ? undefined : await step.erase(context(), batch.ids);
        erasure.counts = addCounts(
          erasure.counts,
          countsOf(batch, { replaced: replaced ?? undefined, isRepeated }),
        );
        progress.hasFound ||= !batch.isRepair;
        progress.batch = null;
        toNext(batch.next);
        if (!(await erasures.advance(tenant, claim, progress, erasure.counts))) return false;
      }
      const { pass, isWaiting, hasFound } = progress;
      if (!isWaiting && (erasure.dryRun || !hasFound || pass === maxPasses)) return true;
      Object.assign(progress, start(isWaiting ? pass : pass + 1));
      if (!(await erasures.advance(tenant, claim, progress, erasure.counts))) return false;
      if (isWaiting) {
        await erasures.release(tenant, claim, new Date(clock.now().getTime() + pauseMs));
        return false;
      }
    }
  };
}
