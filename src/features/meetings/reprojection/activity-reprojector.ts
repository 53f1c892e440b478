import type { Clock } from '../../../platform/clock.ts';
import { exponentialDelayMs } from '../../../platform/exponential-delay.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { Suppressor } from '../../privacy/suppressor.ts';
import { readsRecord } from '../mapping/source-fields.ts';
import type { VersionedMapping } from '../meetings.types.ts';
import type { ProviderRecordStore } from '../provider-records/provider-records.store.ts';
import { toActivity } from '../stored-meetings/meeting-documents.ts';
import { withoutSuppressedLink } from '../stored-meetings/meeting-people.ts';
import { toMappable } from '../stored-meetings/meeting-views.ts';
import type { ActivityDoc } from '../stored-meetings/meetings.model.ts';
import type { OutdatedActivityStore } from './outdated-activities.store.ts';
import type { BatchCounts, ClaimedReprojection, ReprojectionStore } from './reprojection.store.ts';

/** Activities read and written at once. */
const BATCH_SIZE = 200;
/** Time that a run spends on one tenant, so that runs stay short and tenants take turns. */
const TURN_MS = 2_000;
/** Consecutive claims without a stored batch, after which a re-projection counts as failed. */
const MAX_CLAIMS = 5;
const MINUTE_MS = 60_000;
/** Interval between attempts of a failed re-projection. */
const BACKOFF = { firstMs: MINUTE_MS, maxMs: 60 * MINUTE_MS };
/** For how long a re-projection is checked after its end. */
const CHECKED_FOR_MS = 24 * 60 * MINUTE_MS;

interface Deps {
  reprojections: ReprojectionStore;
  activities: OutdatedActivityStore;
  providerRecords: ProviderRecordStore;
  suppressions: Pick<Suppressions, 'whileStoring'>;
  clock: Clock;
  log: Logger;
}

/**
 * Re-projects activities by the current mapping, from stored meetings and the provider's records, without requests to the
 * provider. Each activity stores the version of the mapping that built it, so activities of older versions are the work
 * that is left. This holds after any interruption, and covers activities of a sync that read the mapping before it changed.
 */
export function createActivityReprojector(deps: Deps) {
  const { reprojections, activities, providerRecords, suppressions, clock, log } = deps;

  /** Reads the meetings' records, if the mapping uses them. */
  const recordsOf = (tenant: TenantRef, mapping: VersionedMapping, ids: string[]) =>
    readsRecord(mapping.fields) ? providerRecords.read(tenant, ids) : [];

  /** Re-projects a batch; returns null if no activity is left. */
  async function projectBatch(
    { tenant, mapping }: ClaimedReprojection,
    suppressor: Suppressor | null,
  ): Promise<BatchCounts | null> {
    const startedAt = performance.now();
    const ids = await activities.ids(tenant, mapping.version, BATCH_SIZE);
    if (ids.length === 0) return null;
    const meetings = await activities.meetings(tenant, ids);
    const projected = new Map<string, ActivityDoc>();
    const project = (meetingKey: string, record: unknown) => {
      const meeting = meetings.get(meetingKey);
      if (!meeting) return;
      const activity = toActivity(tenant, toMappable(meeting, record), mapping);
      projected.set(meetingKey, withoutSuppressedLink(activity, suppressor));
    };
    const yieldToRequests = createTimeSlice();
    for await (const { meetingKey, record } of recordsOf(tenant, mapping, ids)) {
      project(meetingKey, record);
      await yieldToRequests();
    }
    const withRecord = projected.size;
    for (const id of ids) if (!projected.has(id)) project(id, undefined);
    const unchanged = ids.filter((id) => !projected.has(id));
    await activities.replace(tenant, mapping.version, { projected: projected.values(), unchanged });
    return {
      done: ids.length,
      withoutRecord: readsRecord(mapping.fields) ? projected.size - withRecord : 0,
      skipped: unchanged.length,
      activeMs: Math.round(performance.now() - startedAt),
    };
  }

  /**
   * Returns when to check again for activities of an older mapping, at growing intervals; null for no further check. A
   * process that is killed right after it stored a page leaves such activities, if its sync is then cancelled.
   */
  function nextCheckAt({ status, finishedAt }: ClaimedReprojection['state']): Date | null {
    const now = clock.now().getTime();
    const elapsedMs = status === 'succeeded' && finishedAt ? now - finishedAt.getTime() : 0;
    return elapsedMs > CHECKED_FOR_MS ? null : new Date(now + Math.max(MINUTE_MS, elapsedMs));
  }

  async function succeed(claim: ClaimedReprojection): Promise<void> {
    const { tenant, mapping, state } = claim;
    if (!(await reprojections.succeed(claim, nextCheckAt(state))) || state.status === 'succeeded') return;
    log.info(
      { ...tenant, mappingVersion: mapping.version, total: state.total },
      'meeting activities re-projected',
    );
  }

  /**
   * Returns the time of the attempt after a failed one, at growing intervals: it can take hours to fix a cause such as a
   * missing encryption key.
   */
  function retryTime({ claims }: ClaimedReprojection['state']): Date {
    const delayMs = exponentialDelayMs(BACKOFF, Math.max(claims - MAX_CLAIMS, 0));
    return new Date(clock.now().getTime() + delayMs);
  }

  /** Records a failure. Returns false if the claim was lost. */
  async function fail(claim: ClaimedReprojection, error?: unknown): Promise<boolean> {
    const { tenant, mapping, state } = claim;
    const retryAt = retryTime(state);
    if (!(await reprojections.fail(claim, retryAt))) return false;
    log.error(
      { err: error, ...tenant, mappingVersion: mapping.version, retryAt },
      're-projection of meeting activities failed',
    );
    return true;
  }

  /** Returns true if an attempt may begin. After a failure, the lease is longer, so that a crash keeps the interval. */
  async function mayAttempt(claim: ClaimedReprojection): Promise<boolean> {
    const { state } = claim;
    if (state.claims <= MAX_CLAIMS) return true;
    if (state.status === 'failed') return reprojections.extend(claim, retryTime(state));
    // The previous attempts recorded no failure: they ended with their processes or outlasted their leases.
    await fail(claim);
    return false;
  }

  /** Works on a claimed re-projection for its turn. */
  async function work(claim: ClaimedReprojection): Promise<void> {
    const { tenant, mapping, state } = claim;
    if (!(await mayAttempt(claim))) return;
    if (state.total === null) {
      state.total = await activities.count(tenant, mapping.version);
      if (!(await reprojections.setTotal(claim, state.total))) return;
    }
    const turnEndsAt = performance.now() + TURN_MS;
    while (performance.now() < turnEndsAt) {
      const counts = await suppressions.whileStoring(tenant, (suppressor) => projectBatch(claim, suppressor));
      if (counts === null) return succeed(claim);
      if (!(await reprojections.advance(claim, counts))) return;
      state.claims = 0;
    }
    await reprojections.release(claim);
  }

  let hasRequeued = false;

  return {
    /** Works on the re-projection of one tenant; returns true if others may be due. */
    async run(): Promise<boolean> {
      if (!hasRequeued) await reprojections.requeueFailed();
      hasRequeued = true;
      const claim = await reprojections.claim();
      if (!claim) return false;
      try {
        await work(claim);
      } catch (error) {
        // The rest of the lease delays the next attempt.
        if (claim.state.claims < MAX_CLAIMS || !(await fail(claim, error))) throw error;
      }
      return true;
    },
  };
}
