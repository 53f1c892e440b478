import { hash } from 'node:crypto';
import { CronExpressionParser } from 'cron-parser';
import type { Schedule } from '../../../config/config.ts';
import { LATE_CONTENT_DAYS } from '../../../shared/late-content.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionOutcome } from '../connection/connection.store.ts';
import type { ConnectionFailure } from '../connection/connection-errors.ts';
import type { SyncFailure } from '../meetings.types.ts';
import type { Continuation, PageRequest, ProviderPage } from '../provider/provider.types.ts';
import { earlierBy, INCLUSIVE_MS, isPastEnd, pageRequestOf } from './sync-range.ts';
import type { RangeOfRun, SyncRunDoc } from './sync-runs.model.ts';

/**
 * Decides what a sync fetches, when it ends, and how its end changes the connection. Pure functions, which
 * `sync-execution.ts` carries out.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
/** Time range of the first sync (specification, "Limits"). */
const BACKFILL_MS = 90 * DAY_MS;
/** Overlap with the previous sync, for meetings that the provider lists late. */
const OVERLAP_MS = DAY_MS;

/** Consecutive claims without a stored page, after which a run fails. */
const MAX_CLAIMS = 5;
/** A million meetings; a longer list counts as endless. */
const MAX_PAGES = 20_000;

export const UNBOUNDED_LISTING: SyncFailure = {
  code: 'PROVIDER_UNAVAILABLE',
  message: "The provider's list repeats a page or has too many pages. Report this to the operator.",
};

export const REPEATED_INTERRUPTIONS: SyncFailure = {
  code: 'INTERNAL',
  message: 'The sync was interrupted at the same page five times. Report this to the operator.',
};

/** Returns the time of the next scheduled sync; null without a schedule. */
export function nextScheduledSync({ schedule, now }: { schedule: Schedule | null; now: Date }): Date | null {
  if (schedule === null) return null;
  if (typeof schedule === 'number') return new Date(now.getTime() + schedule);
  return CronExpressionParser.parse(schedule, { currentDate: now }).next().toDate();
}

/** Returns the earliest creation time of a meeting whose content may still change. */
export const contentExpectedSince = (now: Date): Date => earlierBy(now, LATE_CONTENT_DAYS * DAY_MS);

interface Since {
  /** Start of the last successful sync; null before the first success. */
  lastSyncAt: Date | null;
  /** Creation time of the oldest meeting that must be read again; null if there is none. */
  oldestExpected: Date | null;
  now: Date;
}

/** Returns the start of an incremental sync's time range. */
export function sinceFor({ lastSyncAt, oldestExpected, now }: Since): Date {
  if (lastSyncAt === null) return earlierBy(now, BACKFILL_MS);
  const since = earlierBy(lastSyncAt, OVERLAP_MS);
  return oldestExpected && oldestExpected < since ? earlierBy(oldestExpected, INCLUSIVE_MS) : since;
}

export type SyncStep =
  | { type: 'fetch'; request: PageRequest }
  | { type: 'succeed' }
  | { type: 'cancel' }
  | { type: 'fail'; failure: SyncFailure };

/** Plans the first step after a claim: the page after the checkpoint, unless the run must end. */
export function planClaimedRun({
  run,
  connection,
}: {
  run: Pick<SyncRunDoc, 'generation' | 'after' | 'claims'> & RangeOfRun;
  /** Null when the tenant has disconnected. */
  connection: Pick<ConnectionDoc, 'generation'> | null;
}): SyncStep {
  const { generation, claims, after } = run;
  if (connection?.generation !== generation) return { type: 'cancel' };
  if (claims > MAX_CLAIMS) return { type: 'fail', failure: REPEATED_INTERRUPTIONS };
  return { type: 'fetch', request: pageRequestOf(run, after) };
}

/** Returns a short digest: a run keeps one per page, to detect a list that repeats. */
export const continuationDigest = ({ type, value }: Continuation): string =>
  hash('sha256', `${type} ${value}`).slice(0, 16);

/** Plans the step after a page is stored. */
export function planNextPage({
  run,
  page: { meetings, next },
  pages,
  listsOldestFirst,
  visited,
}: {
  run: RangeOfRun;
  page: Pick<ProviderPage, 'meetings' | 'next'>;
  /** Pages stored so far. */
  pages: number;
  /** True if the provider documents the order oldest first. */
  listsOldestFirst: boolean;
  /** Digests of the pages requested so far. */
  visited: ReadonlySet<string>;
}): SyncStep {
  if (next === null || (listsOldestFirst && isPastEnd(run, meetings))) return { type: 'succeed' };
  return visited.has(continuationDigest(next)) || pages >= MAX_PAGES
    ? { type: 'fail', failure: UNBOUNDED_LISTING }
    : { type: 'fetch', request: pageRequestOf(run, next) };
}

/** Returns the changes that a successful run makes to its connection. */
export const connectionAfterSuccess = ({
  scope,
  startedAt,
  comparison,
}: Pick<SyncRunDoc, 'scope' | 'startedAt' | 'comparison'>): ConnectionOutcome => ({
  status: 'connected',
  // A chosen range leaves out other meetings, which the next incremental sync must still fetch.
  ...(scope !== 'range' && { lastSyncAt: startedAt }),
  ...(comparison && { lastComparedAt: startedAt }),
});

/** Interval between comparisons with the provider's list. */
const COMPARISON_INTERVAL_MS = DAY_MS;

/**
 * Returns true if a scheduled sync should be a comparison. The first sync is not: there is nothing to compare with. The
 * first comparison is due a day after connecting.
 */
export const isComparisonDue = (
  {
    lastSyncAt,
    lastComparedAt,
    connectedAt,
  }: Pick<ConnectionDoc, 'lastSyncAt' | 'lastComparedAt' | 'connectedAt'>,
  now: Date,
): boolean =>
  lastSyncAt !== null && (lastComparedAt ?? connectedAt) <= earlierBy(now, COMPARISON_INTERVAL_MS);

/** Returns the start of a comparison's time range, which includes the time range of an incremental sync. */
export const comparedSince = (since: Date, now: Date): Date =>
  new Date(Math.min(since.getTime(), earlierBy(now, BACKFILL_MS).getTime()));

/** Returns the changes that a failed run makes to its connection. */
export function connectionAfterFailure(
  { status, retryAfter }: Pick<ConnectionFailure, 'status' | 'retryAfter'>,
  { nextSyncAt }: Pick<ConnectionDoc, 'nextSyncAt'>,
): ConnectionOutcome {
  // Until the tenant connects with a new key, no sync can succeed.
  if (status === 'key_invalid') return { status, nextSyncAt: null };
  return retryAfter && nextSyncAt && retryAfter > nextSyncAt
    ? { status, nextSyncAt: retryAfter }
    : { status };
}
