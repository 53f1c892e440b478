import { Alert, Group, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { MINUTE_MS } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { useEventNames } from '../use-event-types.ts';
import { RangeAction } from './range-action.tsx';
import { ENDPOINTS_REFRESH_MS } from './use-endpoints.ts';

const RETRY = graphql(`
  mutation RetryBacklog(
    $endpointId: Int!
    $since: DateTime!
    $until: DateTime
    $event: String
    $dryRun: Boolean!
  ) {
    retryWebhookBacklog(
      endpointId: $endpointId
      since: $since
      until: $until
      event: $event
      dryRun: $dryRun
    ) {
      count
    }
  }
`);

interface RetryBacklogProps {
  endpointId: number;
  /** The service rejects a retry while the endpoint is disabled. */
  enabled: boolean;
}

/** Counts the scheduled retries of deliveries of a time range, and makes them due. */
export function RetryBacklog({ endpointId, enabled }: RetryBacklogProps) {
  const { call } = useSession();
  const eventNames = useEventNames();
  return (
    <RangeAction
      title="Retry now"
      action="Retry"
      disabled={!enabled}
      explanation="Deliveries of this time range that wait for a scheduled retry are attempted now, oldest first, instead of at the scheduled time."
      choice={{ label: 'Event', data: eventNames }}
      done="due now."
      execute={async ({ choice, ...range }, dryRun) =>
        (await call(RETRY, { endpointId, ...range, event: choice, dryRun })).retryWebhookBacklog
      }
    />
  );
}

const RETRIES = graphql(`
  query EndpointRetries($id: Int!) {
    webhookEndpoint(id: $id) {
      retrying: deliveries(first: 1, status: retrying) {
        edges {
          node {
            lastAttemptAt
            nextRetryAt
          }
        }
      }
      succeeded: deliveries(first: 1, status: succeeded) {
        edges {
          node {
            lastAttemptAt
          }
        }
      }
    }
  }
`);

/** Offers to retry now if the receiver has accepted a delivery after the failure of one that waits for a retry. */
export function RetryOffer({ endpointId }: { endpointId: number }) {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.endpointRetries(customerId, endpointId),
    queryFn: async () => (await call(RETRIES, { id: endpointId })).webhookEndpoint,
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  const retrying = data?.retrying.edges[0]?.node;
  const succeeded = data?.succeeded.edges[0]?.node;
  if (!retrying?.lastAttemptAt || !retrying.nextRetryAt || !succeeded?.lastAttemptAt) return null;
  const answersAgain = Date.parse(succeeded.lastAttemptAt) > Date.parse(retrying.lastAttemptAt);
  const isSoon = Date.parse(retrying.nextRetryAt) < Date.now() + MINUTE_MS;
  if (!answersAgain || isSoon) return null;
  return (
    <Alert color="teal" icon={<IconPlugConnected aria-hidden />} title="The receiver answers again">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 260px">
          Deliveries that failed before wait for their scheduled retry. You can attempt them now.
        </Text>
        <RetryBacklog endpointId={endpointId} enabled />
      </Group>
    </Alert>
  );
}
