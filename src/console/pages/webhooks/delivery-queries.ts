import { graphql } from '../../generated/gql.ts';
import type { DeliveryRowFragment, WebhookDeliveryStatus } from '../../generated/graphql.ts';

export type Delivery = DeliveryRowFragment;

/** Scheduled attempts that a delivery gets. */
export const MAX_ATTEMPTS = 5;

/** What the list of deliveries can be narrowed to. */
export interface DeliveryFilter {
  endpointId: number | null;
  status: WebhookDeliveryStatus | null;
  event: string | null;
}

export const DELIVERIES = graphql(`
  query Deliveries(
    $first: Int!
    $after: String
    $endpointId: Int
    $status: WebhookDeliveryStatus
    $event: String
  ) {
    webhookDeliveries(first: $first, after: $after, endpointId: $endpointId, status: $status, event: $event) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          ...DeliveryRow
        }
      }
    }
  }
  fragment DeliveryRow on WebhookDelivery {
    id
    endpointId
    event
    status
    attempt
    nextRetryAt
    createdAt
    lastAttemptAt
    responseStatus
    error
    durationMs
  }
`);

export const DELIVERY_CHANGES = graphql(`
  subscription DeliveryChanges($endpointId: Int) {
    webhookDeliveryUpdated(endpointId: $endpointId) {
      ...DeliveryRow
    }
  }
`);

/** What each status means. */
export const STATUS_MEANING: Record<WebhookDeliveryStatus, string> = {
  pending: 'It is accepted; its first attempt has not finished.',
  succeeded: 'The receiver has it: an attempt was answered with a 2xx status in time.',
  retrying: 'An attempt failed; another one is due or under way.',
  failed: 'It was given up. It can be resent here, or recovered with others at its endpoint.',
  cancelled:
    'It was not sent (any more), because its endpoint is disabled or deleted. Recover it once the endpoint is enabled.',
};

export const STATUSES = Object.keys(STATUS_MEANING) as WebhookDeliveryStatus[];
