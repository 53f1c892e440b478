import { type AppError, hasCode } from '../../errors/app-error.ts';
import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import type { Clock } from '../../platform/clock.ts';
import { type HeldLease, holdLease } from '../../platform/leases/lease.ts';
import type { Logger } from '../../platform/logger.ts';
import type { EventName } from '../outbox/event-catalog.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { newEvent } from '../outbox/outbox-event.ts';
import {
  addCounts,
  ERASURE_KINDS,
  type ErasureContext,
  type ErasureStep,
  type PersonalData,
  type TenantRef,
} from '../privacy/erasure-step.ts';
import type { Person } from '../privacy/person.ts';
import type { PersonFinder } from '../privacy/person-finder.ts';
import type { PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import type { SuppressionService } from '../privacy/suppression.service.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ClaimedErasure, ErasureDoc, ErasureProgress } from './erasures.model.ts';
import { ERASURE_LEASE_TTL_MS, type ErasureStore } from './erasures.store.ts';

/** Claims without progress after which a job fails. */
const MAX_CLAIMS = 20;
/** Passes over all steps; the last one finds what was committed while the first ones ran. */
const MAX_PASSES = 5;
/** How long a job that waits for deliveries pauses, and how long it waits for them at most. Milliseconds. */
const DELIVERY_WAIT_MS = { pause: 2_000, longest: 24 * 60 * 60_000 };

/** Binds the identifiers of a job to it. */
export const personOwner = ({ _id }: Pick<ErasureDoc, '_id'>): string => `erasure:${_id.toHexString()}`;

interface Deps {
  erasures: ErasureStore;
  keys: PrivacyKeyStore;
  suppressions: Pick<SuppressionService, 'add'>;
  /** What each feature stores about people. */
  personalData: readonly PersonalData[];
  findPerson: PersonFinder;
  outbox: Pick<Outbox<unknown>, 'commit'>;
  getTenant: (customerId: number) => Promise<Tenant>;
  subscribes: (tenant: TenantRef, event: EventName) => Promise<boolean>;
  clock: Clock;
  log: Logger;
}

/** Works on a claimed erasure as long as this process holds its lease. */
export function createErasureWork(deps: Deps) {
  const {
    erasures,
    keys,
    suppressions,
    personalData,
    findPerson,
    outbox,
    getTenant,
    subscribes,
    clock,
    log,
  } = deps;
  const steps = personalData.flatMap((data) => data.steps);
  const start = (pass: number): ErasureProgress => ({
    pass,
    step: steps[0]?.name ?? '',
    after: null,
    hasFound: false,
    isWaiting: false,
    batch: null,
  });

  /** Erases a batch that is stored in the progress, and records it. */
  async function eraseBatch(erasure: ClaimedErasure, context: ErasureContext, step: ErasureStep) {
    const { progress } = erasure;
    if (!progress?.batch) return;
    const { ids, counts, next } = progress.batch;
    if (!erasure.dryRun) await step.erase(context, ids);
    erasure.counts = addCounts(erasure.counts, counts);
    progress.hasFound = true;
    progress.batch = null;
    progress.after = next;
    if (next === null) toNextStep(progress);
  }

  function toNextStep(progress: ErasureProgress): void {
    const index = steps.findIndex(({ name }) => name === progress.step);
    progress.step = steps[index + 1]?.name ?? '';
    progress.after = null;
  }

  async function finish(erasure: ClaimedErasure, end: Pick<ErasureDoc, 'status' | 'error'>): Promise<void> {
    const { _id, customerId, dryRun, counts, lease } = erasure;
    const tenant = await getTenant(customerId);
    const isEmitted = end.status === 'completed' && !dryRun && (await subscribes(tenant, 'person.erased'));
    const now = clock.now();
    const data = {
      erasureId: _id.toHexString(),
      suppressed: erasure.suppress,
      counts: ERASURE_KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 })),
      erasedAt: now.toISOString(),
    };
    await outbox.commit(
      () => ({
        writes: [
          erasures.finish(tenant, { id: _id, token: lease.token }, { ...end, counts, finishedAt: now }),
        ],
        events: isEmitted ? [newEvent({ tenant, event: 'person.erased', data, now })] : [],
        result: null,
      }),
      { tenant },
    );
    log.info({ customerId, erasure: _id.toHexString(), dryRun, status: end.status }, 'erasure ended');
  }

  /** Runs the steps from the stored position on. @param lease of the job */
  async function run(erasure: ClaimedErasure, stop: AbortSignal, lease: HeldLease): Promise<void> {
    const tenant = { customerId: erasure.customerId };
    const claim = { id: erasure._id, token: erasure.lease.token };
    const key = await keys.findOrCreate(tenant);
    const owner = personOwner(erasure);
    let person = JSON.parse(key.decrypt(erasure.person ?? '', owner)) as Person;
    if (!erasure.isResolved) {
      try {
        person = await findPerson(tenant, person);
        // In force before anything is erased, so that nothing arrives behind the search.
        if (erasure.suppress && !erasure.dryRun)
          await suppressions.add(tenant, person, { erasureId: erasure._id, createdBy: erasure.createdBy });
      } catch (error) {
        if (!hasCode(error, 'CONFLICT')) throw error;
        return finish(erasure, { status: 'aborted', error: (error as AppError).message });
      }
      const resolved = { person: key.encrypt(JSON.stringify(person), owner), progress: start(1) };
      if (!(await erasures.resolve(tenant, claim, resolved))) return;
      erasure.progress = resolved.progress;
    }
    const progress = erasure.progress ?? start(1);
    erasure.progress = progress;
    const mayWait = () =>
      erasure.deliveries === 'finish' &&
      !erasure.dryRun &&
      clock.now().getTime() - erasure.startedAt.getTime() < DELIVERY_WAIT_MS.longest;

    for (;;) {
      let batchAt = performance.now();
      while (progress.step !== '') {
        await pauseAfterBatch(batchAt);
        batchAt = performance.now();
        stop.throwIfAborted();
        if (!lease.isHeld()) return;
        const step = steps.find(({ name }) => name === progress.step);
        if (!step) throw new Error(`The erasure has the unknown step ${progress.step}.`);
        const context = { tenant, person, isDryRun: erasure.dryRun, awaitsDeliveries: mayWait() };
        if (!progress.batch) {
          const { ids, counts, next, isWaiting = false } = await step.find(context, progress.after);
          progress.isWaiting ||= isWaiting;
          if (ids.length > 0) progress.batch = { ids, counts, next };
          else {
            progress.after = next;
            if (next === null) toNextStep(progress);
          }
          if (progress.batch && !(await erasures.advance(tenant, claim, progress, erasure.counts))) return;
        }
        if (!progress.batch) continue;
        await eraseBatch(erasure, context, step);
        if (!(await erasures.advance(tenant, claim, progress, erasure.counts))) return;
      }
      const isLastPass = progress.pass >= MAX_PASSES || erasure.dryRun || !progress.hasFound;
      if (isLastPass && !progress.isWaiting) break;
      const { isWaiting } = progress;
      Object.assign(progress, start(isWaiting ? progress.pass : progress.pass + 1));
      if (!(await erasures.advance(tenant, claim, progress, erasure.counts))) return;
      if (isWaiting) {
        await erasures.release(tenant, claim, new Date(clock.now().getTime() + DELIVERY_WAIT_MS.pause));
        return;
      }
    }
    await finish(erasure, { status: 'completed', error: null });
  }

  /** @param stop aborts when this process must stop working on the job */
  return async (erasure: ClaimedErasure, stop: AbortSignal): Promise<void> => {
    const { _id: id, customerId, claims } = erasure;
    const tenant = { customerId };
    const claim = { id, token: erasure.lease.token };
    using lease = holdLease({
      ttlMs: ERASURE_LEASE_TTL_MS,
      renew: () => erasures.renew(tenant, claim),
      onError: (error) =>
        log.warn({ err: error, erasure: id.toHexString() }, 'failed to renew the lease of an erasure'),
    });
    if (claims <= MAX_CLAIMS) await run(erasure, stop, lease);
    else
      await finish(erasure, {
        status: 'aborted',
        error: 'The erasure was interrupted too often without progress. Start it again to continue.',
      });
  };
}
