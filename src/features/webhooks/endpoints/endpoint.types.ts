import { LIMITS } from '../../../limits/limits.ts';
import type { EventTypeName } from '../../outbox/event-type.ts';
import type { Authentication } from './authentication.ts';
import type { CustomHeaders } from './custom-headers.ts';
import type { EndpointFilter } from './filter.ts';

/** Largest number of endpoints per tenant (contract 5). */
export const MAX_ENDPOINTS = LIMITS.endpoints.default;

/** Bodies of an endpoint's deliveries: whole events, or their ids and the URL of a resource that shows the current state. */
export const PAYLOADS = ['full', 'thin'] as const;
export type EndpointPayload = (typeof PAYLOADS)[number];

/** Why an endpoint is disabled: by a client, at the request of its receiver, or after days of failures only. */
export const DISABLED_REASONS = ['manual', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** How `webhook-signature` is signed: by the secret, or by a key pair whose public key verifies it. */
export const SIGNINGS = ['hmac', 'ed25519'] as const;
export type Signing = (typeof SIGNINGS)[number];

/** Longest time for which a rotated secret and the previous one both sign: a week. Seconds. */
export const MAX_OVERLAP_SECONDS = 604_800;

/** An endpoint has a public key if it signs with Ed25519. */
export const signingOf = ({ publicKey }: { publicKey?: string | null }): Signing =>
  publicKey ? 'ed25519' : 'hmac';

/** At most `count` attempts in any `perSeconds` seconds. */
export interface EndpointRateLimit {
  count: number;
  perSeconds: number;
}

/** Order in which an endpoint receives events: any, or for each conversation the order of its events. */
export const ORDERINGS = ['none', 'conversation'] as const;
export type EndpointOrdering = (typeof ORDERINGS)[number];

/** Settings that steer the deliveries of an endpoint. */
export interface Steering {
  /** Time limit of an attempt. */
  timeoutSeconds: number;
  /** True while its deliveries wait. */
  paused: boolean;
  /** Maximum number of attempts per period; null for none. */
  rateLimit: EndpointRateLimit | null;
  /** True if deliveries that fail during an outage are sent again by themselves after it. */
  autoRecover: boolean;
  ordering: EndpointOrdering;
}

/** States of the circuit of an endpoint; `half_open` while a probe is in flight. */
export const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;

/** Whether deliveries are sent to an endpoint, or wait because its receiver is down. */
export interface EndpointCircuit {
  state: (typeof CIRCUIT_STATES)[number];
  /** Time at which it opened; null while it is closed. */
  since: Date | null;
  /** Short code of the last failure; null while it is closed. */
  reason: string | null;
}

/** A receiver of a tenant's events, as clients see it (contract 5). */
export interface WebhookEndpoint extends Steering {
  id: number;
  customerId: number;
  url: string;
  description: string | null;
  /** Names of the event types that it receives; null for all customer events. */
  events: EventTypeName[] | null;
  /** Conditions that its events fulfil; null if it has none. */
  filter: EndpointFilter | null;
  payload: EndpointPayload;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  circuit: EndpointCircuit;
  /** Custom headers of its deliveries, with masked values. */
  headers: CustomHeaders;
  /** Without its secrets; null if its receiver needs none. */
  authentication: Authentication | null;
  signing: Signing;
  /** `whpk_…`; null unless `signing` is `ed25519`. */
  publicKey: string | null;
  /** Time until which the secret before the last rotation signs as well; null if that rotation had no overlap. */
  previousSecretExpiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by every change of the fields above, except `circuit`. */
  revision: number;
}
