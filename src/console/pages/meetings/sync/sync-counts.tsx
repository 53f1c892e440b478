import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, formatNumber } from '../../../format.ts';
import { FieldWarnings } from '../field-warnings.tsx';
import { meetingPath } from '../meeting-paths.ts';
import type { SyncRun } from '../use-recorder.ts';

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

export function SyncCounts({ run }: { run: SyncRun }) {
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
          {formatCount(run.skipped, 'meeting')} outside of the time range, not stored.
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
