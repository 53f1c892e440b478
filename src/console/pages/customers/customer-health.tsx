import { Anchor, Badge, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryKeys } from '../../api/query-keys.ts';
import { DAY_MS, formatCount } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { CustomerHealthQuery } from '../../generated/graphql.ts';
import { customerBase } from '../../session/customer-path.ts';
import { useSession } from '../../session/session.tsx';

const CUSTOMER_HEALTH = graphql(`
  query CustomerHealth($since: DateTime!) {
    webhookEndpoints(first: 50) {
      edges {
        node {
          enabled
          disabledReason
          circuit {
            state
          }
        }
      }
    }
    webhookDeliveries(first: 1, status: failed, since: $since) {
      edges {
        node {
          id
        }
      }
    }
  }
`);

const REFRESH_MS = 30_000;

interface Finding {
  text: string;
  color: string;
}

/** Lists what is wrong with the deliveries of a customer, worst first. */
function findingsOf({ webhookEndpoints, webhookDeliveries }: CustomerHealthQuery): Finding[] {
  const endpoints = webhookEndpoints.edges.map(({ node }) => node);
  const downCount = endpoints.filter(({ enabled, circuit }) => enabled && circuit.state !== 'closed').length;
  // A user has decided about those that were disabled manually.
  const disabledCount = endpoints.filter(
    ({ disabledReason }) => disabledReason !== null && disabledReason !== 'manual',
  ).length;
  return [
    ...(downCount > 0 ? [{ text: `${formatCount(downCount, 'receiver')} down`, color: 'red' }] : []),
    ...(disabledCount > 0
      ? [{ text: `${formatCount(disabledCount, 'endpoint')} disabled`, color: 'red' }]
      : []),
    ...(webhookDeliveries.edges.length > 0
      ? [{ text: 'failed deliveries in 24 hours', color: 'orange' }]
      : []),
    ...(endpoints.length === 0 ? [{ text: 'no endpoints', color: 'gray' }] : []),
  ];
}

interface CustomerHealthProps {
  customerId: number;
  name: string;
}

/** Health of the deliveries of a customer, with a link to its overview. */
export function CustomerHealth({ customerId, name }: CustomerHealthProps) {
  const { callFor } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.customerHealth(customerId),
    queryFn: () =>
      callFor(customerId)(CUSTOMER_HEALTH, { since: new Date(Date.now() - DAY_MS).toISOString() }),
    refetchInterval: REFRESH_MS,
  });
  if (error) return <Text size="sm">unknown</Text>;
  if (!data) return <Skeleton h={18} w={90} aria-label={`Loading the health of ${name}`} />;
  const findings = findingsOf(data);
  return (
    <Anchor
      component={Link}
      href={`~/console${customerBase(customerId)}`}
      size="sm"
      title={`Overview of ${name}`}
    >
      <Group gap={6}>
        {(findings.length > 0 ? findings : [{ text: 'ok', color: 'teal' }]).map(({ text, color }) => (
          <Badge key={text} color={color} variant="light" tt="none">
            {text}
          </Badge>
        ))}
      </Group>
    </Anchor>
  );
}
