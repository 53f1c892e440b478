import { LIMITS } from '../../../limits/limits.ts';
import type { EventName } from '../../outbox/event-catalog.ts';

/** Largest number of endpoints per tenant (contract 5). */
export const MAX_ENDPOINTS = LIMITS.endpoints.default;

/** Why an endpoint is disabled: by a client, after a `410 Gone`, or after days of failures only. */
export const DISABLED_REASONS = ['manual', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A receiver of a tenant's events, as clients see it (contract 5). */
export interface WebhookEndpoint {
  id: number;
  customerId: number;
  url: string;
  description: string | null;
  /** Names of the events that it receives; null for all of them. */
  events: EventName[] | null;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by every change of the fields above. */
  revision: number;
}
