import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useSession } from '../../../session.tsx';
import type { Connection } from '../use-recorder.ts';
import { ConnectionTrouble } from './connection-problem.tsx';
import { Disconnect } from './disconnect-recorder.tsx';
import { ReplaceKey } from './replace-provider-key.tsx';

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" component="div">
      {children}
    </Text>
  </div>
);

/** Whether the recorder is connected, since when, and what can be done about it. */
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
              <ReplaceKey urgent={status === 'key_invalid'} />
              <Disconnect />
            </Group>
          )}
        </Group>
        <ConnectionTrouble connection={connection} />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <Fact name="Connected">
            <Time at={connectedAt} />
          </Fact>
          <Fact name="Last sync that succeeded">
            <Time at={lastSyncAt} />
          </Fact>
          <Fact name="Next sync">
            {nextSyncAt ? <Time at={nextSyncAt} /> : 'none by itself: start one when you want one'}
          </Fact>
        </SimpleGrid>
      </Stack>
    </Card>
  );
}
