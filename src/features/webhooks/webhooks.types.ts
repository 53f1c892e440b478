import type { EventName } from './catalogue.ts';

/** Why an endpoint gets nothing: by hand, after a `410 Gone`, or after days of nothing but failures. */
export const DISABLED_REASONS = ['manual', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Where a tenant wants to be told what happened (contract 5). */
export interface WebhookEndpoint {
  id: number;
  customerId: number;
  url: string;
  description: string | null;
  /** Names of the events that it receives; null: all of them. */
  events: EventName[] | null;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

/** States of a delivery (contract 5). `pending` and `retrying` wait; the others are terminal. */
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'retrying', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  id: string;
  customerId: number;
  endpointId: number;
  eventId: string;
  event: EventName;
  status: DeliveryStatus;
  /** Scheduled attempts begun, 0 to 5; one that a crash cut short counts. */
  attempt: number;
  nextRetryAt: Date | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** HTTP status of the last answer; null where none came. */
  responseStatus: number | null;
  /** Short code of the last failure (`timeout`, `http_500`, …); null after a success. */
  error: string | null;
  durationMs: number | null;
}

/** One attempt of a delivery, as its detail shows it. */
export interface DeliveryAttempt {
  /** Position among the attempts made, from 1; manual ones count here. */
  number: number;
  at: Date;
  /** True for a resend, which is outside the count of five. */
  manual: boolean;
  responseStatus: number | null;
  /** First 1 KiB of the answer. */
  responseBody: string | null;
  error: string | null;
  durationMs: number;
}

/** A delivery with the exact body sent and every attempt made. */
export interface WebhookDeliveryDetail extends WebhookDelivery {
  payload: string;
  attempts: DeliveryAttempt[];
}

/** An event in the timeline of a conversation. */
export interface TimelineEvent {
  id: string;
  event: EventName;
  /** The envelope as it was sent. */
  payload: string;
  createdAt: Date;
}
