import { SimpleGrid, Text } from '@mantine/core';
import { number } from '../../../format.ts';
import type { SyncRun } from '../use-recorder.ts';

/** What a sync counts, in the order in which it happens. */
export const COUNTS = [
  ['pages', 'Pages'],
  ['fetched', 'Fetched'],
  ['stored', 'New'],
  ['updated', 'Updated'],
  ['rejected', 'Rejected'],
  ['rateLimited', 'Rate limited'],
] as const satisfies [keyof SyncRun, string][];

/** How far a sync has come. */
export function SyncCounts({ run }: { run: SyncRun }) {
  return (
    <>
      <SimpleGrid cols={{ base: 3, xs: 6 }} component="dl" m={0}>
        {COUNTS.map(([name, words]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {words}
            </Text>
            <Text component="dd" m={0} size="lg" fw={600} className="mono">
              {number.format(run[name])}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {run.rejected > 0 && (
        <Text size="sm" c="dimmed">
          Rejected: what the provider sent of them is no meeting. The service's log has the reason for each.
        </Text>
      )}
      {run.rateLimited > 0 && (
        <Text size="sm" c="dimmed">
          Rate limited: the provider asked to be left alone for a while. The sync waits, and goes on by
          itself.
        </Text>
      )}
    </>
  );
}
