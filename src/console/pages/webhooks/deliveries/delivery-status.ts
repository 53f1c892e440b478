import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import type {
  DeliveryRowFragment,
  EndpointRowFragment,
  WebhookDeliveryStatus,
  WebhookFailureReason,
  WebhookWaitReason,
} from '../../../generated/graphql.ts';

/** What a delivery waits for, by the reason that the service names. */
export const WAIT_DESCRIPTIONS: Record<WebhookWaitReason, string> = {
  slot: 'a free slot of the endpoint',
  order: 'earlier deliveries of its conversation',
  rate_limit: 'the rate limit of its endpoint',
  circuit: 'its endpoint to accept deliveries again',
  paused: 'the end of the pause of its endpoint',
  suspended: 'the end of the suspension of the customer',
};

export interface MadeAttempt {
  manual: boolean;
  responseStatus: number | null;
}

interface DescribedDelivery extends Pick<DeliveryRowFragment, 'status' | 'waitingFor' | 'failureReason'> {
  attempts: readonly MadeAttempt[];
}

/** True if an HTTP 410 ended the attempts: it is the response to the last one that is not a resend. */
export const isEndedByGone = (attempts: readonly MadeAttempt[]): boolean =>
  attempts.findLast(({ manual }) => !manual)?.responseStatus === 410;

const FAILURES: Record<WebhookFailureReason, (delivery: DescribedDelivery) => string> = {
  exhausted: () => `All ${MAX_ATTEMPTS} attempts failed.`,
  stopped_by_receiver: ({ attempts }) =>
    `The receiver ended the attempts (${isEndedByGone(attempts) ? '410 Gone' : 'header webhook-delivery'}).`,
  payload_unreadable: () => 'The stored payload cannot be read.',
};

/** Every cause of a cancellation. */
const CANCELLATION = 'its endpoint was disabled or deleted, or its backlog was cancelled';

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
    `${FAILURES[delivery.failureReason ?? 'exhausted'](delivery)} Resend this delivery, or recover all failed deliveries of the endpoint.`,
  cancelled: () =>
    `Cancelled: ${CANCELLATION}. You can resend or recover the delivery while the endpoint is enabled.`,
};

/** Time after which a change of an endpoint is made in every process, for clocks that differ as well. */
const DISABLING_MS = 30_000;

/** Returns why a delivery was cancelled, as far as its endpoint tells; `deleted` for an endpoint that no longer exists. */
export function cancellationCause(
  { createdAt, lastAttemptAt }: Pick<DeliveryRowFragment, 'createdAt' | 'lastAttemptAt'>,
  endpoint: Pick<EndpointRowFragment, 'enabled' | 'updatedAt'> | 'deleted',
): string {
  if (endpoint === 'deleted') return CANCELLATION;
  // A disabled endpoint was last changed when it was disabled, or later; the change was made within seconds of its time.
  const wasDisabled = Date.parse(createdAt) > Date.parse(endpoint.updatedAt) + DISABLING_MS;
  if (!endpoint.enabled && wasDisabled && lastAttemptAt === null)
    return 'its endpoint was disabled when the event occurred';
  return 'its endpoint was disabled, or its backlog was cancelled';
}

export const DELIVERY_STATUSES = Object.keys(DESCRIPTIONS) as WebhookDeliveryStatus[];

/** Explains the status of a delivery. */
export const describeStatus = (delivery: DescribedDelivery): string =>
  DESCRIPTIONS[delivery.status](delivery);
