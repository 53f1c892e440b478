import { Text } from '@mantine/core';
import { DateTime } from '../../../components/date-time.tsx';
import { formatCount, formatDuration, millisecondsBetween } from '../../../format.ts';
import type { SyncRun } from '../use-recorder.ts';
import { useNewestSyncRuns } from './use-sync-runs.ts';

/** Returns the succeeded sync of a time range that read the most meetings. */
const findReference = (runs: readonly SyncRun[]): SyncRun | undefined =>
  runs
    .filter(({ status, scope, fetched }) => status === 'succeeded' && scope !== 'full' && fetched > 0)
    .toSorted((a, b) => b.fetched - a.fetched)[0];

interface TimeRangeEstimateProps {
  since: string;
  /** Null: now. */
  until: string | null;
}

/** Expected meetings and duration of the sync of a time range, from the meetings per day of an earlier sync. */
export function TimeRangeEstimate({ since, until }: TimeRangeEstimateProps) {
  const runs = useNewestSyncRuns();
  const rangeMs = millisecondsBetween(since, until ?? new Date().toISOString());
  if (!runs || rangeMs <= 0) return null;
  const reference = findReference(runs);
  if (!reference?.finishedAt) return <Text size="sm">No estimate: no sync has read meetings yet.</Text>;
  const { fetched, startedAt, finishedAt } = reference;
  const meetingCount =
    (fetched * rangeMs) / millisecondsBetween(reference.since, reference.until ?? startedAt);
  const durationMs = (meetingCount * millisecondsBetween(startedAt, finishedAt)) / fetched;
  return (
    <Text size="sm">
      Estimate: about {formatCount(Math.round(meetingCount), 'meeting')} in {formatDuration(durationMs)}, from
      the sync of <DateTime at={startedAt} format="formatDate" />.
    </Text>
  );
}
