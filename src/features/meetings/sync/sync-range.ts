import { AppError } from '../../../errors/app-error.ts';
import { InputIssues } from '../../../errors/input-issues.ts';
import { CLOCK_SKEW_MS } from '../../../platform/clock.ts';
import type { SyncScope } from '../meetings.types.ts';
import type { Continuation, PageRequest } from '../provider/provider.types.ts';
import type { RangeOfRun } from './sync-runs.model.ts';

const MAX_YEARS = 10;
/** Margin for a provider that treats `since` as exclusive or truncates times to seconds. */
export const INCLUSIVE_MS = 1_000;

export const earlierBy = (at: Date, ms: number): Date => new Date(at.getTime() - ms);

/** Arguments of a sync that a client starts. */
export interface SyncRequest {
  since?: Date;
  until?: Date;
  fullResync?: boolean;
}

/** The time range or full resync that a client requests. */
export type ChosenRange = Pick<RangeOfRun, 'since'> & {
  scope: Exclude<SyncScope, 'incremental' | 'comparison'>;
  until: Date | null;
};

/** Returns null for an incremental sync. @throws AppError VALIDATION_FAILED */
export function chosenRange({ since, until, fullResync }: SyncRequest, now: Date): ChosenRange | null {
  const issues = new InputIssues();
  const latest = now.getTime() + CLOCK_SKEW_MS;
  const earliest = new Date(now);
  earliest.setUTCFullYear(now.getUTCFullYear() - MAX_YEARS);
  for (const [name, at] of Object.entries({ since, until }))
    if (at && at.getTime() > latest) issues.add(name, 'Must not be in the future.');
  if (since && since < earliest)
    issues.add('since', `Must be at most ${MAX_YEARS} years ago; use \`fullResync\` for all meetings.`);
  if (until && !since) issues.add('since', 'Required with `until`.');
  if (since && until && since >= until) issues.add('until', 'Must be after `since`.');
  if (fullResync && (since || until)) issues.add('fullResync', 'Must not be combined with a time range.');
  issues.throwIfAny();
  if (fullResync) return { scope: 'full', since: new Date(0), until: null };
  return since ? { scope: 'range', since, until: until ?? null } : null;
}

/** @throws AppError CONFLICT if the tenant's unfinished sync fetches other meetings than the chosen ones */
export function assertSameRange(run: RangeOfRun, chosen: ChosenRange | null): void {
  if (chosen === null) return;
  const isSame =
    run.scope === chosen.scope &&
    run.since.getTime() === chosen.since.getTime() &&
    (run.until ?? null)?.getTime() === chosen.until?.getTime();
  if (!isSame)
    throw new AppError(
      'CONFLICT',
      'A sync with another time range is running or paused. Cancel it, or wait for its end.',
    );
}

/** Rounds up, because a provider that truncates the end of a range would omit meetings of its last second. */
const wholeSecondFrom = (at: Date): Date => new Date(Math.ceil(at.getTime() / 1_000) * 1_000);

export const pageRequestOf = (
  { scope, since, until, byChange = false }: RangeOfRun,
  after: Continuation | null,
): PageRequest => ({
  since: scope === 'range' ? earlierBy(since, INCLUSIVE_MS) : since,
  until: until ? wholeSecondFrom(until) : null,
  byChange,
  after,
});

export const isInRange = ({ scope, since, until }: RangeOfRun, createdAt: Date): boolean =>
  scope !== 'range' || (createdAt >= since && (!until || createdAt < until));

/** Returns true if all meetings of a page are after the range: a single wrong creation time must not end a sync. */
export const isPastEnd = (
  { until }: Pick<RangeOfRun, 'until'>,
  meetings: readonly { createdAt: Date }[],
): boolean => !!until && meetings.length > 0 && meetings.every(({ createdAt }) => createdAt >= until);
