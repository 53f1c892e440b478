import { Anchor, Group, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatCount, formatDuration, formatNumber, millisecondsBetween } from '../../../format.ts';
import { type TimeFormat, useTimeFormat } from '../../../time-format.ts';
import { FieldWarnings } from '../field-warnings.tsx';
import { meetingPath } from '../meeting-paths.ts';
import { isUnfinished, type SyncRun } from '../use-recorder.ts';
import classes from './sync-progress-bar.module.css';

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

/** Indeterminate progress of a sync: the provider does not report a total. */
const SyncProgressBar = () => (
  <div role="progressbar" aria-label="Sync in progress" className={classes.track}>
    <div className={classes.indicator} />
  </div>
);

/** Known facts about an unfinished sync: position, speed and remaining time. */
function SyncEstimate({ run }: { run: SyncRun }) {
  const { oldestMeetingAt, meetingsPerMinute, estimatedRemainingSeconds } = run;
  const { formatDate } = useTimeFormat();
  if (!isUnfinished(run)) return null;
  const known = [
    oldestMeetingAt && `Oldest meeting read: ${formatDate(oldestMeetingAt)}`,
    meetingsPerMinute && `${formatNumber(Math.round(meetingsPerMinute))} meetings per minute`,
    estimatedRemainingSeconds !== null &&
      estimatedRemainingSeconds !== undefined &&
      `about ${formatDuration(estimatedRemainingSeconds * 1_000)} remaining`,
  ].filter(Boolean);
  if (known.length === 0) return null;
  return <Text size="sm">{known.join(', ')}</Text>;
}

/** Counts of a sync and their labels. */
export const SYNC_COUNTS = [
  ['pages', 'Pages'],
  ['fetched', 'Fetched'],
  ['stored', 'New'],
  ['updated', 'Updated'],
  ['unchanged', 'Unchanged'],
  ['rejected', 'Rejected'],
  ['warnings', 'Warnings'],
  ['rateLimited', 'Rate limited'],
] as const satisfies [keyof SyncRun, string][];

function SyncCounts({ run }: { run: SyncRun }) {
  return (
    <>
      <SimpleGrid cols={{ base: 4, md: 8 }} component="dl" m={0}>
        {SYNC_COUNTS.map(([name, label]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} size="lg" fw={600} className="mono">
              {formatNumber(run[name])}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {run.skipped > 0 && (
        <Text size="sm" c="dimmed">
          {formatCount(run.skipped, 'meeting')} not stored: outside of the time range, beyond the limit of the
          customer, or suppressed.
        </Text>
      )}
      {run.suppressed > 0 && (
        <Text size="sm" c="dimmed">
          {formatCount(run.suppressed, 'meeting')} suppressed, or stored without suppressed people.
        </Text>
      )}
      {run.rejected > 0 && (
        <Text size="sm" c="dimmed">
          Rejected meetings have no usable ID or creation time. The log of the sync has the first reasons.
        </Text>
      )}
      {run.warnings > 0 && (
        <FieldWarnings summary={formatCount(run.warnings, 'malformed field')}>
          {run.warningDetails.map(({ meeting, path, reason }) => (
            <li key={`${meeting} ${path}`}>
              <Anchor component={Link} href={meetingPath(meeting)}>
                {meeting}
              </Anchor>{' '}
              <code>{path}</code>: {reason}
            </li>
          ))}
        </FieldWarnings>
      )}
      {run.rateLimited > 0 && (
        <Text size="sm" c="dimmed">
          Rate limited: number of HTTP 429 responses from the provider. The sync waits before each retry.
        </Text>
      )}
    </>
  );
}
