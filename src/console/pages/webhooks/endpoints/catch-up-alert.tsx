import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { type CatchUpOffers, catchUpOffers } from './catch-up-offers.ts';
import { RecoverDeliveries } from './recover-deliveries.tsx';
import { RetryBacklog } from './retry-backlog.tsx';
import { ENDPOINTS_REFRESH_MS, type Endpoint } from './use-endpoints.ts';

const CATCH_UP = graphql(`
  query EndpointCatchUp($id: Int!) {
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
      failed: deliveries(first: 1, status: failed) {
        edges {
          node {
            ...CatchUpDelivery
          }
        }
      }
      cancelled: deliveries(first: 1, status: cancelled) {
        edges {
          node {
            ...CatchUpDelivery
          }
        }
      }
    }
  }
  fragment CatchUpDelivery on WebhookDelivery {
    createdAt
    attempt
    error
    lastAttemptAt
    nextRetryAt
  }
`);

const NO_OFFERS: CatchUpOffers = { answersAgain: false, retry: false, recover: false };

function useCatchUpOffers({ id, autoRecover }: Endpoint): CatchUpOffers {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.endpointCatchUp(customerId, id),
    queryFn: async () => (await call(CATCH_UP, { id })).webhookEndpoint,
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  if (!data) return NO_OFFERS;
  const { succeeded, retrying, failed, cancelled } = data;
  const newest = {
    succeeded: succeeded.edges[0]?.node,
    retrying: retrying.edges[0]?.node,
    failed: failed.edges[0]?.node,
    cancelled: cancelled.edges[0]?.node,
  };
  return catchUpOffers(newest, { autoRecover, nowMs: Date.now() });
}

const MISSED =
  'Deliveries of the last 24 hours failed or were cancelled. You can send them now; select an earlier start for older ones.';
const WAITING = 'Deliveries that failed before wait for their scheduled retry. You can attempt them now.';

/** Offers to send what an enabled endpoint has missed. */
export function CatchUpAlert({ endpoint }: { endpoint: Endpoint }) {
  const { answersAgain, retry, recover } = useCatchUpOffers(endpoint);
  return (
    // An open dialog stays although its offer ends.
    <Alert
      hidden={!retry && !recover}
      color="teal"
      icon={<IconPlugConnected aria-hidden />}
      title={answersAgain ? 'The receiver answers again' : 'The endpoint has missed deliveries'}
    >
      <Stack gap="sm">
        <Offer hidden={!retry} text={WAITING}>
          <RetryBacklog endpointId={endpoint.id} enabled />
        </Offer>
        <Offer hidden={!recover} text={MISSED}>
          <RecoverDeliveries endpointId={endpoint.id} enabled />
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
