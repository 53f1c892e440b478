import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConnected } from '../../api/connection.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDuration, SECOND_MS } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { HealthQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const HEALTH = graphql(`
  query Health {
    health {
      status
      version
      uptimeSeconds
      database {
        status
        latencyMs
      }
      sidecar {
        status
        latencyMs
        modelVersion
      }
      jobs {
        status
        lastRunAt
      }
      auditLog {
        status
      }
      encryption {
        status
      }
      outboundProxy {
        status
        error
      }
    }
  }
`);

const REFRESH_MS = 10_000;

const formatLatency = (latencyMs: number | null | undefined): string =>
  latencyMs == null ? 'no response' : formatDuration(latencyMs);

function componentsOf({
  database,
  sidecar,
  jobs,
  outboundProxy,
  auditLog,
  encryption,
}: HealthQuery['health']) {
  const lastRun = jobs.lastRunAt ? (
    <>
      last run <RelativeTime at={jobs.lastRunAt} />
    </>
  ) : (
    'no run yet'
  );
  const model = sidecar.modelVersion ? `, model ${sidecar.modelVersion}` : '';
  return [
    { name: 'Database', status: database.status, detail: formatLatency(database.latencyMs) },
    { name: 'ML sidecar', status: sidecar.status, detail: formatLatency(sidecar.latencyMs) + model },
    { name: 'Jobs', status: jobs.status, detail: lastRun },
    ...(outboundProxy
      ? [{ name: 'Outbound proxy', status: outboundProxy.status, detail: outboundProxy.error ?? 'answers' }]
      : []),
    ...(auditLog.status === 'down'
      ? [
          {
            name: 'Audit log',
            status: auditLog.status,
            detail: 'was changed, or is not verified; run `audit verify`',
          },
        ]
      : []),
    ...(encryption.status === 'down'
      ? [{ name: 'Encryption', status: encryption.status, detail: 'values cannot be decrypted; see the log' }]
      : []),
  ];
}

export const healthQuery = ({ call, isLimited }: Session) => ({
  queryKey: queryKeys.health,
  queryFn: () => call(HEALTH),
  enabled: !isLimited,
});

/** Health of the service and its components. */
export function HealthCard() {
  const connected = useConnected();
  const { data, error, dataUpdatedAt } = useQuery({
    ...healthQuery(useSession()),
    refetchInterval: REFRESH_MS,
  });
  const health = data?.health;
  // The last known status is no longer true.
  const unknown = !connected || error !== null;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Health
        </Title>
        {health && (
          <Group gap="sm">
            <Text size="sm" c="dimmed" component="div">
              version {health.version}, started{' '}
              <RelativeTime at={new Date(dataUpdatedAt - health.uptimeSeconds * SECOND_MS).toISOString()} />
            </Text>
            <StatusBadge status={connected ? (unknown ? 'unknown' : health.status) : 'unreachable'} />
          </Group>
        )}
      </Group>
      <ErrorAlert error={error} />
      {!health && !error && <Skeleton h={48} />}
      {health && (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing={{ base: 'sm', sm: 'xl' }}>
          {componentsOf(health).map(({ name, status, detail }) => (
            <Stack key={name} gap={2}>
              <Group justify="space-between">
                <Text>{name}</Text>
                <StatusBadge status={unknown ? 'unknown' : status} />
              </Group>
              <Text size="sm" c="dimmed" component="div">
                {unknown ? 'no response' : detail}
              </Text>
            </Stack>
          ))}
        </SimpleGrid>
      )}
    </Card>
  );
}
