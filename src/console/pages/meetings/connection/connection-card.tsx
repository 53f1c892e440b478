import { Card, Group, Stack, Title } from '@mantine/core';
import { DescriptionList } from '../../../components/description-list.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useSession } from '../../../session.tsx';
import type { Connection } from '../use-recorder.ts';
import { ConnectionProblem } from './connection-problem.tsx';
import { DisconnectRecorder } from './disconnect-recorder.tsx';
import { ReplaceProviderKey } from './replace-provider-key.tsx';

/** Connection status of the recorder with its actions. */
export function ConnectionCard({ connection }: { connection: Connection }) {
  const { canWrite } = useSession();
  const { status, connectedAt, lastSyncAt, nextSyncAt } = connection;
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              Connection
            </Title>
            <StatusBadge status={status} />
          </Group>
          {canWrite && (
            <Group gap="xs">
              <ReplaceProviderKey highlighted={status === 'key_invalid'} />
              <DisconnectRecorder />
            </Group>
          )}
        </Group>
        <ConnectionProblem connection={connection} />
        <DescriptionList
          columns={{ base: 1, xs: 3 }}
          items={[
            ['Connected', <RelativeTime key="connected" at={connectedAt} />],
            ['Last successful sync', <RelativeTime key="last" at={lastSyncAt} />],
            ['Next sync', <RelativeTime key="next" at={nextSyncAt} fallback="not scheduled" />],
          ]}
        />
      </Stack>
    </Card>
  );
}
