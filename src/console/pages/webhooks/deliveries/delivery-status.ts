import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import type {
  DeliveryRowFragment,
  WebhookDeliveryStatus,
  WebhookWaitReason,
} from '../../../generated/graphql.ts';

/** What a delivery waits for, by the reason that the service names. */
export const WAIT_DESCRIPTIONS: Record<WebhookWaitReason, string> = {
  slot: 'a free slot of the endpoint',
  order: 'earlier deliveries of its conversation',
  rate_limit: 'the rate limit of its endpoint',
  circuit: 'its endpoint to respond again',
  paused: 'the end of the pause of its endpoint',
  suspended: 'the end of the suspension of the customer',
};

interface DescribedDelivery extends Pick<DeliveryRowFragment, 'status' | 'waitingFor' | 'attempt' | 'error'> {
  attempts: readonly { responseStatus: number | null }[];
}

/** Returns why a delivery has no further attempt. */
function causeOfFailure({ attempt, attempts, error }: DescribedDelivery): string {
  if (attempt >= MAX_ATTEMPTS) return `All ${MAX_ATTEMPTS} attempts failed.`;
  if (error === 'payload_unreadable') return 'The stored payload cannot be read.';
  const isGone = attempts.some(({ responseStatus }) => responseStatus === 410);
  return `The receiver ended the attempts (${isGone ? '410 Gone' : 'header webhook-delivery'}).`;
}

const DESCRIPTIONS: Record<WebhookDeliveryStatus, (delivery: DescribedDelivery) => string> = {
  pending: ({ waitingFor }) =>
    waitingFor
      ? `Accepted. The first attempt waits for ${WAIT_DESCRIPTIONS[waitingFor]}.`
      : 'Accepted. The first attempt has not finished.',
  succeeded: () => 'Delivered. The receiver responded with a 2xx status in time.',
  retrying: ({ waitingFor }) =>
    waitingFor
      ? `An attempt failed. The next attempt waits for ${WAIT_DESCRIPTIONS[waitingFor]}.`
      : 'An attempt failed. The next attempt is scheduled or in progress.',
  failed: (delivery) =>
    `${causeOfFailure(delivery)} Resend this delivery, or recover all failed deliveries of the endpoint.`,
  cancelled: () =>
    'Cancelled: its endpoint was disabled or deleted, or its backlog was cancelled. You can resend or recover the delivery while the endpoint is enabled.',
};

export const DELIVERY_STATUSES = Object.keys(DESCRIPTIONS) as WebhookDeliveryStatus[];

/** Explains the status of a delivery. */
export const describeStatus = (delivery: DescribedDelivery): string =>
  DESCRIPTIONS[delivery.status](delivery);
