import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryKeys } from '../../../api/query-keys.ts';
import { DAY_MS } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { EXPLAIN } from '../deliveries/delivery-queries.ts';
import { type CatchUpOffers, catchUpOffers } from './catch-up-offers.ts';
import { RecoverDeliveries } from './recover-deliveries.tsx';
import { RetryBacklog } from './retry-backlog.tsx';
import { ENDPOINTS_REFRESH_MS, type Endpoint, endpointState } from './use-endpoints.ts';

const CATCH_UP = graphql(`
  query EndpointCatchUp($id: Int!, $since: DateTime!) {
    webhookEndpoint(id: $id) {
      succeeded: deliveries(first: 1, status: succeeded) {
        edges {
          node {
            ...CatchUpDelivery
          }
        }
      }
      retrying: deliveries(first: 1, status: retrying) {
        edges {
          node {
            ...CatchUpDelivery
          }
        }
      }
      failed: deliveries(first: 10, status: failed, since: $since) {
        edges {
          node {
            ...CatchUpDelivery
            attempts {
              manual
              responseStatus
            }
          }
        }
      }
      cancelled: deliveries(first: 1, status: cancelled, since: $since) {
        edges {
          node {
            eventId
          }
        }
      }
    }
  }
  fragment CatchUpDelivery on WebhookDelivery {
    error
    failureReason
    lastAttemptAt
    nextRetryAt
    waitingFor
  }
`);

const NO_OFFERS: CatchUpOffers = { answersAgain: false, retry: false, recover: false };

function useCatchUpOffers({ id, autoRecover }: Endpoint, enabled: boolean): CatchUpOffers {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.endpointCatchUp(customerId, id),
    async queryFn() {
      const since = new Date(Date.now() - DAY_MS).toISOString();
      const { webhookEndpoint } = await call(CATCH_UP, { id, since });
      if (!webhookEndpoint) return null;
      const { succeeded, retrying, failed, cancelled } = webhookEndpoint;
      // An explanation tells events that occurred while the endpoint was disabled from a cancelled backlog.
      const [latest] = cancelled.edges;
      const explanation = latest && (await call(EXPLAIN, { eventId: latest.node.eventId, endpointId: id }));
      return {
        succeeded: succeeded.edges[0]?.node,
        retrying: retrying.edges[0]?.node,
        failed: failed.edges.map(({ node }) => node),
        whileDisabled: explanation?.explainDelivery.reason === 'disabled',
      };
    },
    enabled,
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  return data ? catchUpOffers(data, { autoRecover, nowMs: Date.now() }) : NO_OFFERS;
}

const MISSED =
  'Deliveries of the last 24 hours failed or were cancelled. You can send them now; select an earlier start for older ones.';
const WAITING = 'Deliveries that failed before wait for their scheduled retry. You can attempt them now.';

/** Offers to send what an enabled endpoint has missed. */
export function CatchUpAlert({ endpoint }: { endpoint: Endpoint }) {
  const isEnabled = endpointState(endpoint) === 'enabled';
  const { answersAgain, retry, recover } = useCatchUpOffers(endpoint, isEnabled);
  return (
    // An open dialog stays although its offer ends, or the endpoint is paused, disabled or down meanwhile.
    <Alert
      hidden={!isEnabled || (!retry && !recover)}
      color="teal"
      icon={<IconPlugConnected aria-hidden />}
      title={answersAgain ? 'The receiver answers again' : 'The endpoint has missed deliveries'}
    >
      <Stack gap="sm">
        <Offer hidden={!retry} text={WAITING}>
          <RetryBacklog endpointId={endpoint.id} enabled={endpoint.enabled} />
        </Offer>
        <Offer hidden={!recover} text={MISSED}>
          <RecoverDeliveries endpointId={endpoint.id} enabled={endpoint.enabled} />
        </Offer>
      </Stack>
    </Alert>
  );
}

interface OfferProps {
  hidden: boolean;
  text: string;
  /** The button. */
  children: ReactNode;
}

const Offer = ({ hidden, text, children }: OfferProps) => (
  <Group justify="space-between" gap="sm" display={hidden ? 'none' : undefined}>
    <Text size="sm" flex="1 1 260px">
      {text}
    </Text>
    {children}
  </Group>
);
