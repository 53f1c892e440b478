import { isSelectedBy } from '../../../../shared/custom-events.ts';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { graphql } from '../../../generated/gql.ts';
import type {
  DeliveryRowFragment,
  DeliverySubjectFragment,
  WebhookDeliveryStatus,
} from '../../../generated/graphql.ts';

export type Delivery = DeliveryRowFragment;
/** What a delivery is about; null if retention has removed the event. Updates are without it: it does not change. */
export type DeliverySubject = DeliverySubjectFragment['sourceEvent'];

/** Returns true if another attempt is scheduled or in progress. */
export const hasNextAttempt = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'retrying';

/** `2 of 5`; without the maximum if no further attempt is scheduled; null if none was started. */
export function scheduledAttempts({ status, attempt }: Pick<Delivery, 'status' | 'attempt'>): string | null {
  if (hasNextAttempt({ status }) || attempt === MAX_ATTEMPTS) return `${attempt} of ${MAX_ATTEMPTS}`;
  return attempt === 0 ? null : String(attempt);
}

/** A delivery as it is loaded for a list; without its subject if the key may not read it. */
export type ListedDelivery = Delivery & Partial<DeliverySubjectFragment>;

/** Filter of the delivery list; null matches everything. */
export interface DeliveryFilter {
  endpointId: number | null;
  status: WebhookDeliveryStatus | null;
  event: string | null;
  eventId: string | null;
  conversationId: string | null;
  /** Text in the payload. */
  text: string | null;
  /** Creation times. ISO 8601. */
  since: string | null;
  until: string | null;
}

/** True if an ID names the events of the list. */
export const hasId = ({ eventId, conversationId }: DeliveryFilter): boolean =>
  eventId !== null || conversationId !== null;

/** True if a text is looked for in the payloads of all deliveries, which the service reads for each page. */
export const isSearch = (filter: DeliveryFilter): boolean => filter.text !== null && !hasId(filter);

/** Returns true if an update of a delivery does not tell whether it belongs to the list. */
export const needsPayload = ({ conversationId, text }: DeliveryFilter): boolean =>
  conversationId !== null || text !== null;

/** Returns true for a delivery that the filter includes. */
export const matchesFilter = (
  { endpointId, status, event, eventId, since, until }: DeliveryFilter,
  delivery: Delivery,
): boolean =>
  (endpointId === null || delivery.endpointId === endpointId) &&
  (status === null || delivery.status === status) &&
  (event === null || isSelectedBy(delivery.event, [event])) &&
  (eventId === null || delivery.eventId === eventId) &&
  (since === null || Date.parse(delivery.createdAt) >= Date.parse(since)) &&
  (until === null || Date.parse(delivery.createdAt) < Date.parse(until));

export const DELIVERIES = graphql(`
  query Deliveries(
    $first: Int!
    $after: String
    $endpointId: Int
    $status: WebhookDeliveryStatus
    $event: String
    $eventId: ID
    $conversationId: ID
    $text: String
    $since: DateTime
    $until: DateTime
  ) {
    webhookDeliveries(
      first: $first
      after: $after
      endpointId: $endpointId
      status: $status
      event: $event
      eventId: $eventId
      conversationId: $conversationId
      text: $text
      since: $since
      until: $until
    ) {
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
    eventId
    event
    status
    attempt
    nextRetryAt
    waitingFor
    createdAt
    lastAttemptAt
    responseStatus
    error
    failureReason
    durationMs
  }
`);

/** As `DELIVERIES`, for a key that may read the subjects. */
export const DELIVERIES_WITH_SUBJECTS = graphql(`
  query DeliveriesWithSubjects(
    $first: Int!
    $after: String
    $endpointId: Int
    $status: WebhookDeliveryStatus
    $event: String
    $eventId: ID
    $conversationId: ID
    $text: String
    $since: DateTime
    $until: DateTime
  ) {
    webhookDeliveries(
      first: $first
      after: $after
      endpointId: $endpointId
      status: $status
      event: $event
      eventId: $eventId
      conversationId: $conversationId
      text: $text
      since: $since
      until: $until
    ) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          ...DeliveryRow
          ...DeliverySubject
        }
      }
    }
  }
  fragment DeliverySubject on WebhookDelivery {
    sourceEvent {
      conversionType
      visitorId
      conversation {
        id
        visitorId
        goal
        identity {
          firstName
          lastName
          email
        }
      }
    }
  }
`);

export const DELIVERY_CHANGES = graphql(`
  subscription DeliveryChanges($endpointId: Int) {
    webhookDeliveryUpdated(endpointId: $endpointId) {
      ...DeliveryRow
    }
  }
`);

export const EXPLAIN = graphql(`
  query ExplainDelivery($eventId: ID!, $endpointId: Int!) {
    explainDelivery(eventId: $eventId, endpointId: $endpointId) {
      reason
      message
    }
  }
`);
