import { Group, Text } from '@mantine/core';
import { Time } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { moment, secondsBetween, span } from '../format.ts';
import type { SyncRun } from '../use-recorder.ts';
import { SyncCounts } from './sync-counts.tsx';
import { SyncBar } from './sync-progress-bar.tsx';

/** One sync: how far it is, or how it ended. */
export function SyncState({ run }: { run: SyncRun }) {
  const { status, since, startedAt, finishedAt } = run;
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={status} />
        <Text size="sm" component="span">
          {finishedAt ? (
            <>
              Ended <Time at={finishedAt} />, after {span(secondsBetween(startedAt, finishedAt))}
            </>
          ) : (
            <>
              Started <Time at={startedAt} />
            </>
          )}
          , for meetings since {moment.format(new Date(since))}
        </Text>
      </Group>
      {status === 'running' && (
        <div>
          <SyncBar />
          <Text size="xs" c="dimmed" mt={6}>
            The provider does not say how many there are: it goes on for as long as there is another page. You
            can leave this page.
          </Text>
        </div>
      )}
      <SyncCounts run={run} />
    </>
  );
}
