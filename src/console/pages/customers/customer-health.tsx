import { Anchor, Badge, Group, Skeleton, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
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

const SUSPENDED: readonly Finding[] = [{ text: 'deliveries held', color: 'red' }];

interface CustomerHealthProps {
  customerId: number;
  name: string;
  /** Null unless the customer is suspended: then its deliveries wait. */
  suspendedAt: string | null;
  /** Null unless the customer is being deleted: then its data cannot be read. */
  deletionStartedAt: string | null;
}

/** Health of the deliveries of a customer, with a link to its overview. It is read while the row is visible. */
export function CustomerHealth({ customerId, name, suspendedAt, deletionStartedAt }: CustomerHealthProps) {
  const { callFor } = useSession();
  const { ref, inViewport } = useInViewport();
  const { data, error } = useQuery({
    enabled: inViewport && suspendedAt === null && deletionStartedAt === null,
    queryKey: queryKeys.customerHealth(customerId),
    queryFn: () =>
      callFor(customerId)(CUSTOMER_HEALTH, { since: new Date(Date.now() - DAY_MS).toISOString() }),
    refetchInterval: REFRESH_MS,
  });
  const findings = suspendedAt === null ? data && findingsOf(data) : SUSPENDED;
  if (!findings)
    return error || deletionStartedAt !== null ? (
      <Text size="sm" ref={ref}>
        unknown
      </Text>
    ) : (
      <Skeleton ref={ref} h={18} w={90} role="img" aria-label={`Loading the health of ${name}`} />
    );
  return (
    <Anchor
      ref={ref}
      component={Link}
      href={`~/console${customerBase(customerId)}`}
      size="sm"
      title={`Overview of ${name}`}
    >
      <Group gap={6}>
        {(findings.length > 0 ? findings : [{ text: 'ok', color: 'teal' }]).map(({ text, color }) => (
          <Badge
            key={text}
            color={color}
            variant="light"
            tt="none"
            h="auto"
            mih={20}
            styles={{ label: { whiteSpace: 'normal' } }}
          >
            {text}
          </Badge>
        ))}
      </Group>
    </Anchor>
  );
}
