import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../components/error-alert.tsx';
import { sinceNow } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { graphql } from '../../generated/gql.ts';
import type { HealthQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';

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
    }
  }
`);

const REFRESH_MS = 10_000;

const latency = (ms: number | null | undefined): string =>
  ms == null ? 'no answer' : `${Math.round(ms)} ms`;

const startedAt = (uptimeSeconds: number): string => sinceNow(new Date(Date.now() - uptimeSeconds * 1000));

function partsOf({ database, sidecar, jobs }: HealthQuery['health']) {
  const ran = jobs.lastRunAt ? `last run ${sinceNow(new Date(jobs.lastRunAt))}` : 'never ran';
  const model = sidecar.modelVersion ? `, model ${sidecar.modelVersion}` : '';
  return [
    { name: 'Database', status: database.status, detail: latency(database.latencyMs) },
    { name: 'ML sidecar', status: sidecar.status, detail: latency(sidecar.latencyMs) + model },
    { name: 'Jobs', status: jobs.status, detail: ran },
  ];
}

/** The parts that the service stands on. */
export function HealthCard() {
  const { call } = useSession();
  const { data, error } = useQuery({
    queryKey: ['health'],
    queryFn: () => call(HEALTH),
    refetchInterval: REFRESH_MS,
  });
  const health = data?.health;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Health
        </Title>
        {health && (
          <Group gap="sm">
            <Text size="sm" c="dimmed">
              version {health.version}, started {startedAt(health.uptimeSeconds)}
            </Text>
            <StatusBadge status={health.status} />
          </Group>
        )}
      </Group>
      <ErrorNote error={error} />
      {!health && !error && <Skeleton h={48} />}
      {health && (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
          {partsOf(health).map(({ name, status, detail }) => (
            <Stack key={name} gap={2}>
              <Group justify="space-between">
                <Text>{name}</Text>
                <StatusBadge status={status} />
              </Group>
              <Text size="sm" c="dimmed">
                {detail}
              </Text>
            </Stack>
          ))}
        </SimpleGrid>
      )}
    </Card>
  );
}
