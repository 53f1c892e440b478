import { type AppError, hasCode } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { holdLease } from '../../platform/leases/lease.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { ERASURE_KINDS, type PersonalData } from '../privacy/erasure-step.ts';
import { identifierCount, type Person, withIdentifiers } from '../privacy/person.ts';
import type { PersonFinder } from '../privacy/person-finder.ts';
import type { PrivacyKey, PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import type { SuppressionService } from '../privacy/suppression.service.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { OperationalEvents } from '../webhooks/operational-events.ts';
import { createPasses, DELIVERY_WAIT_MS, firstPass, type Hold, WRITES_PAUSE_MS } from './erasure-passes.ts';
import type { ClaimedErasure, ErasureDoc } from './erasures.model.ts';
import { ERASURE_LEASE_TTL_MS, type ErasureStore } from './erasures.store.ts';
import { createTenantRemoval, type TenantRemoval } from './tenant-removal.ts';

/** Claims without progress after which a job fails. */
const MAX_CLAIMS = 20;
/** Passes over all steps; the last one finds what was committed while the first ones ran. */
const MAX_PASSES = 5;

/** Binds the identifiers of a job to it. */
export const personOwner = ({ _id }: Pick<ErasureDoc, '_id'>): string => `erasure:${_id.toHexString()}`;

interface Deps {
  erasures: ErasureStore;
  privacyKeys: PrivacyKeyStore;
  suppressions: Pick<SuppressionService, 'add' | 'awaitWrites'>;
  /** What each feature stores about people. */
  personalData: readonly PersonalData[];
  findPerson: PersonFinder;
  tenantRemoval: TenantRemoval;
  outbox: Outbox;
  /** Returns null for a deleted tenant. */
  findTenant: (customerId: number) => Promise<Tenant | null>;
  operationalEvents: OperationalEvents;
  clock: Clock;
  log: Logger;
}

/** Works on a claimed erasure as long as this process holds its lease. */
export function createErasureWork(deps: Deps) {
  const {
    erasures,
    privacyKeys,
    suppressions,
    personalData,
    findPerson,
    tenantRemoval,
    outbox,
    findTenant,
    operationalEvents,
    clock,
    log,
  } = deps;
  const steps = personalData.flatMap((data) => data.steps);
  const runPasses = createPasses({ erasures, clock });
  const removeTenant = createTenantRemoval({ removal: tenantRemoval, erasures, runPasses, clock });

  async function finish(erasure: ClaimedErasure, end: Pick<ErasureDoc, 'status' | 'error'>): Promise<void> {
    const { _id, customerId, target, dryRun, counts, lease } = erasure;
    const tenant = target === 'tenant' ? null : await findTenant(customerId);
    const isErased = tenant !== null && end.status === 'completed' && !dryRun;
    // Before the end: a process that dies in between ends the erasure again.
    if (tenant !== null && !dryRun) {
      // A process that has lost the job must not store identifiers behind its end.
      if (!(await erasures.renew({ customerId }, { id: _id, token: lease.token }))) return;
      if (end.status === 'completed') await erasures.removeKeptIdentifiers(erasure);
      // With progress, a job that a takeover resolves again has stored what it found.
      else if (erasure.isResolved || erasure.progress) await erasures.keepIdentifiers(erasure);
    }
    const now = clock.now();
    const data = {
      erasureId: _id.toHexString(),
      suppressed: erasure.suppress,
      counts: ERASURE_KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 })),
      erasedAt: now.toISOString(),
    };
    const events = isErased ? await operationalEvents(tenant, { event: 'person.erased', data, now }) : [];
    await outbox.commit(
      () => ({
        writes: [
          erasures.finish(
            { customerId },
            { id: _id, token: lease.token },
            { ...end, counts, finishedAt: now },
          ),
        ],
        events,
        result: null,
      }),
      // Not the tenant's: beyond its limit of stored events, the end of the erasure would be refused.
      { tenant: null },
    );
    log.info({ customerId, erasure: _id.toHexString(), dryRun, status: end.status }, 'erasure ended');
  }

  /** Returns the identifiers of a job, with those that an aborted one of the same subject has found. */
  async function knownPerson(key: PrivacyKey, erasure: ClaimedErasure): Promise<Person> {
    const identifiersOf = (person: string | undefined, _id: ErasureDoc['_id']) =>
      JSON.parse(key.decrypt(person ?? '', personOwner({ _id }))) as Person;
    const person = identifiersOf(erasure.person, erasure._id);
    const kept = erasure.isResolved ? null : await erasures.keptIdentifiers(erasure);
    return kept ? withIdentifiers(person, identifiersOf(kept.person, kept.erasureId)) : person;
  }

  /** Erases a person. Returns true at the end; false if another claim continues, or the erasure is aborted. */
  async function erasePerson(erasure: ClaimedErasure, hold: Hold): Promise<boolean> {
    const tenant = { customerId: erasure.customerId };
    const claim = { id: erasure._id, token: erasure.lease.token };
    const abort = async (error: string): Promise<false> => {
      await finish(erasure, { status: 'aborted', error });
      return false;
    };
    // A command may start one while its tenant is removed: nothing of the tenant may be stored for it.
    if (!(await findTenant(erasure.customerId)))
      return abort('The customer was deleted; there is nothing to erase.');
    const key = await privacyKeys.find(tenant);
    if (!key) return abort('The encryption key of the identifiers was removed. Start the erasure again.');
    let person = await knownPerson(key, erasure);
    const suppresses = erasure.suppress && !erasure.dryRun;
    const awaitWrites = async (stop: AbortSignal): Promise<boolean> => {
      const haveEnded = await suppressions.awaitWrites(tenant, stop);
      if (!haveEnded)
        log.warn(
          { ...tenant, erasure: claim.id.toHexString() },
          'writes that began before a pass of an erasure have not ended',
        );
      return haveEnded;
    };

    /** Suppresses and stores the identifiers, before anything is erased. Returns false once the lease is lost. */
    const resolve = async (found: Person): Promise<boolean> => {
      if (suppresses)
        await suppressions.add(tenant, found, { erasureId: erasure._id, createdBy: erasure.createdBy });
      person = found;
      const resolved = {
        person: key.encrypt(JSON.stringify(found), personOwner(erasure)),
        progress: erasure.progress ?? firstPass(steps),
      };
      Object.assign(erasure, resolved, { isResolved: true });
      return erasures.resolve(tenant, claim, resolved);
    };

    /** Follows the links that were being stored behind the search. Returns false if another claim continues. */
    async function followLaterLinks(): Promise<boolean> {
      for (;;) {
        if (!(await awaitWrites(hold.stop))) {
          await erasures.release(tenant, claim, new Date(clock.now().getTime() + WRITES_PAUSE_MS));
          return false;
        }
        const linked = await findPerson(tenant, person, hold.stop);
        if (identifierCount(linked) === identifierCount(person)) return true;
        if (!(await resolve(linked))) return false;
      }
    }

    try {
      if (!erasure.isResolved && !(await resolve(await findPerson(tenant, person, hold.stop)))) return false;
      const { progress } = erasure;
      if (suppresses && progress && !progress.areLinksFollowed) {
        if (!(await followLaterLinks())) return false;
        progress.areLinksFollowed = true;
      }
    } catch (error) {
      if (!hasCode(error, 'CONFLICT')) throw error;
      return abort((error as AppError).message);
    }
    const mayWait = () =>
      erasure.deliveries === 'finish' &&
      !erasure.dryRun &&
      clock.now().getTime() - erasure.startedAt.getTime() < DELIVERY_WAIT_MS.longest;

    const context = () => ({
      ...{ tenant, person, isDryRun: erasure.dryRun, awaitsDeliveries: mayWait() },
      isKnown: Object.keys(erasure.counts).length > 0,
    });
    const limits = { maxPasses: MAX_PASSES, pauseMs: DELIVERY_WAIT_MS.pause };
    if (!(await runPasses(erasure, { steps, context, awaitWrites, ...limits }, hold))) return false;
    if (erasure.dryRun || !erasure.progress?.hasFound) return true;
    return abort(
      `Data of the person was still being stored after ${MAX_PASSES} passes. Start the erasure again to continue.`,
    );
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
    const isDeletion = erasure.target === 'tenant';
    const erase = isDeletion ? removeTenant : erasePerson;
    if (claims <= MAX_CLAIMS) {
      if (await erase(erasure, { stop, lease })) await finish(erasure, { status: 'completed', error: null });
    } else
      await finish(erasure, {
        status: 'aborted',
        error: `The ${isDeletion ? 'deletion' : 'erasure'} was interrupted too often without progress. Start it again to continue.`,
      });
  };
}
