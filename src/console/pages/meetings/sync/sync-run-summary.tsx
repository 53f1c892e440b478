import { Group, Text } from '@mantine/core';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { formatDuration, millisecondsBetween } from '../../../format.ts';
import { type TimeFormat, useTimeFormat } from '../../../time-format.ts';
import type { SyncRun } from '../use-recorder.ts';
import { SyncCounts } from './sync-counts.tsx';
import { SyncEstimate } from './sync-estimate.tsx';
import { SyncProgressBar } from './sync-progress-bar.tsx';

/** Describes the meetings that a sync fetches. */
function rangeOf({ scope, since, until }: SyncRun, { formatDateTime }: TimeFormat): string {
  if (scope === 'full') return 'all meetings';
  const start = formatDateTime(since);
  return until ? `meetings from ${start} to ${formatDateTime(until)}` : `meetings since ${start}`;
}

/** Status, time range and counts of a sync run. */
export function SyncRunSummary({ run }: { run: SyncRun }) {
  const { status, startedAt, finishedAt } = run;
  const timeFormat = useTimeFormat();
  return (
    <>
      <Group gap="xs">
        {/* Only the status: times change as time passes. */}
        <div role="status">
          <StatusBadge status={status} />
        </div>
        <Text size="sm" component="span">
          {finishedAt ? (
            <>
              Finished <RelativeTime at={finishedAt} />, duration{' '}
              {formatDuration(millisecondsBetween(startedAt, finishedAt))}
            </>
          ) : (
            <>
              Started <RelativeTime at={startedAt} />
            </>
          )}
          , {rangeOf(run, timeFormat)}
        </Text>
      </Group>
      {status === 'running' && (
        <div>
          <SyncProgressBar />
          <Text size="xs" c="dimmed" mt={6}>
            The provider does not report a total. The sync continues if you leave this page.
          </Text>
        </div>
      )}
      <SyncEstimate run={run} />
      <SyncCounts run={run} />
    </>
  );
}
