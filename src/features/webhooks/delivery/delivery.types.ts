import type { EventTypeName } from '../../outbox/event-type.ts';
import type { AttemptResult, DeliveryStatus, PAYLOAD_UNREADABLE } from './state.ts';

/** Why a failed delivery has no further attempt. */
export type FailureReason = 'exhausted' | 'stopped_by_receiver' | typeof PAYLOAD_UNREADABLE;

/** One event addressed to one endpoint, as clients see it (contract 5). */
export interface WebhookDelivery {
  id: string;
  customerId: number;
  endpointId: number;
  eventId: string;
  event: EventTypeName;
  status: DeliveryStatus;
  /** Scheduled attempts begun, 0 to 5; an attempt that a crash interrupted counts. */
  attempt: number;
  /** Due time of the next attempt; null if none is due. */
  nextRetryAt: Date | null;
  /** Earliest time at which any process may attempt it: the lease's expiry while an attempt is in progress; null if none is due. */
  dueAt: Date | null;
  /** Conversation whose earlier deliveries its next attempt waits for; null for none. */
  orderedBy: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** HTTP status of the last response; null if there was none. */
  responseStatus: number | null;
  /** Short code of the last failure (`timeout`, `http_500`, …); null after a success. */
  error: string | null;
  /** Null unless the delivery is `failed`. */
  failureReason: FailureReason | null;
  durationMs: number | null;
}

/** An attempt as it is stored; its number is its position. */
export interface StoredAttempt extends Omit<AttemptResult, 'retryAfter'> {
  /** True for a resend, which is outside the count of five. */
  manual: boolean;
  /** True if it probed an endpoint whose circuit was open: then it counts toward the five only if it succeeded. */
  probe?: boolean;
  /** Random number of the request, by which a result is logged once; absent in attempts of earlier builds. */
  request?: number;
}

/** A header as clients see it; a value that may be a secret is `***`. */
export interface HttpHeader {
  name: string;
  value: string;
}

/** One attempt of a delivery, as clients see it. */
export interface DeliveryAttempt
  extends Omit<StoredAttempt, 'request' | 'responseHeaders' | 'customHeaders'> {
  /** Null for an attempt of an earlier build. */
  requestHeaders: HttpHeader[] | null;
  /** Null if there was no response, and for an attempt of an earlier build. */
  responseHeaders: HttpHeader[] | null;
  /** Position among the attempts made, from 1; manual ones included. */
  number: number;
  probe: boolean;
}

/** A delivery with the exact body sent and every attempt made. */
export interface WebhookDeliveryDetail extends WebhookDelivery {
  payload: string;
  attempts: DeliveryAttempt[];
  /** Scheduled attempts among `attempts`, those before a recovery or replay included. */
  scheduledAttempts: number;
  /** Resends among `attempts`. */
  manualAttempts: number;
}
