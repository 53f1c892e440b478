import type { ListingOrder, SyncEstimate, SyncPosition } from '../meetings.types.ts';
import { perMinute, remainingSeconds } from '../progress-estimate.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Tracks how far a sync has read the provider's list, whose order it observes, and estimates the remaining time. */

export const START_POSITION: SyncPosition = { activeMs: 0, oldest: null, newest: null, order: 'unknown' };

const extreme = (choose: typeof Math.min, times: readonly (Date | null)[]): Date | null => {
  const known = times.flatMap((at) => (at ? [at.getTime()] : []));
  return known.length > 0 ? new Date(choose(...known)) : null;
};

function orderBetween(first: Date | null | undefined, second: Date | null | undefined): ListingOrder {
  if (!first || !second || first.getTime() === second.getTime()) return 'unknown';
  return first > second ? 'newest_first' : 'oldest_first';
}

/** Infers the order from how a page extends the creation times of the previous pages. */
function orderOfPage(position: SyncPosition, oldest: Date | null, newest: Date | null): ListingOrder {
  const isOlder = orderBetween(position.oldest, oldest) === 'newest_first';
  const isNewer = orderBetween(position.newest, newest) === 'oldest_first';
  if (isOlder === isNewer) return isOlder ? 'unordered' : 'unknown';
  return isOlder ? 'newest_first' : 'oldest_first';
}

/** Returns the position after a page. */
export function advance(
  position: SyncPosition,
  { createdAt, durationMs }: { createdAt: readonly Date[]; durationMs: number },
): SyncPosition {
  const [oldest, newest] = [extreme(Math.min, createdAt), extreme(Math.max, createdAt)];
  const shown =
    position.oldest === null
      ? orderBetween(createdAt[0], createdAt.at(-1))
      : orderOfPage(position, oldest, newest);
  const isConsistent = position.order === 'unknown' || shown === 'unknown' || shown === position.order;
  const known = position.order === 'unknown' ? shown : position.order;
  return {
    activeMs: position.activeMs + Math.round(durationMs),
    oldest: extreme(Math.min, [position.oldest, oldest]),
    newest: extreme(Math.max, [position.newest, newest]),
    order: isConsistent ? known : 'unordered',
  };
}

/** Returns the share of the time range that has been read, from 0 to 1; null while unknown. */
function shareOf({ scope, since, until, startedAt, position }: SyncRunDoc): number | null {
  const { oldest, newest, order } = position ?? START_POSITION;
  if (!oldest || !newest) return null;
  const readMs = newest.getTime() - oldest.getTime();
  const share = (rangeMs: number) => (readMs > 0 && rangeMs > 0 ? Math.min(1, readMs / rangeMs) : null);
  // Measured from the newest meeting: nothing lies between it and a later end of the range.
  if (order === 'newest_first') return scope === 'full' ? null : share(newest.getTime() - since.getTime());
  // A provider without a query for the end also lists later meetings.
  const end = until && newest < until ? until : startedAt;
  if (order === 'oldest_first') return share(end.getTime() - oldest.getTime());
  return null;
}

export function estimateOf(run: SyncRunDoc): SyncEstimate {
  const { activeMs, oldest } = run.position ?? START_POSITION;
  const share = run.status === 'running' ? shareOf(run) : null;
  return {
    oldestMeetingAt: oldest,
    meetingsPerMinute: perMinute({ activeMs, done: run.fetched }),
    estimatedRemainingSeconds: remainingSeconds(activeMs, share),
  };
}
