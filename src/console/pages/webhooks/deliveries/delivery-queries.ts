import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { graphql } from '../../../generated/gql.ts';
import type {
  DeliveryRowFragment,
  WebhookDeliveryStatus,
  WebhookWaitReason,
} from '../../../generated/graphql.ts';

export type Delivery = DeliveryRowFragment;

/** Returns true if another attempt is scheduled or in progress. */
export const hasNextAttempt = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'retrying';

/** `2 of 5`; without the maximum if no further attempt is scheduled; null if none was started. */
export function scheduledAttempts({ status, attempt }: Pick<Delivery, 'status' | 'attempt'>): string | null {
  if (hasNextAttempt({ status }) || attempt === MAX_ATTEMPTS) return `${attempt} of ${MAX_ATTEMPTS}`;
  return attempt === 0 ? null : String(attempt);
}

/** Filter of the delivery list; null matches everything. */
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
    waitingFor
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

/** Explanation of each status. */
export const STATUS_DESCRIPTIONS: Record<WebhookDeliveryStatus, string> = {
  pending: 'Accepted. The first attempt has not finished.',
  succeeded: 'Delivered. The receiver responded with a 2xx status in time.',
  retrying: 'An attempt failed. The next attempt is scheduled or in progress.',
  failed:
    'All attempts failed, or the receiver ended them (410 Gone, or the header webhook-delivery). Resend this delivery, or recover all failed deliveries of the endpoint.',
  cancelled:
    'Cancelled because the endpoint was disabled or deleted. After you enable a disabled endpoint, you can resend or recover the delivery.',
};

/** What a delivery waits for, by the reason that the service names. */
export const WAIT_DESCRIPTIONS: Record<WebhookWaitReason, string> = {
  slot: 'a free slot of the endpoint',
  order: 'earlier deliveries of its conversation',
  rate_limit: 'the rate limit of its endpoint',
  circuit: 'its endpoint to respond again',
  paused: 'the end of the pause of its endpoint',
  suspended: 'the end of the suspension of the customer',
};

export const DELIVERY_STATUSES = Object.keys(STATUS_DESCRIPTIONS) as WebhookDeliveryStatus[];
