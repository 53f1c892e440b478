import { isProxyError } from '../../outbound/outbound-errors.ts';
import type { EventName } from '../outbox/event-catalog.ts';
import type { AttemptResult } from './delivery/state.ts';

/** Outcomes of an attempt as metric labels: the codes of a delivery's `error`, statuses and failures of token servers and of the outbound proxy by class. A bounded set. */
export const ATTEMPT_OUTCOMES = [
  'succeeded',
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns',
  'tls',
  'blocked_address',
  'blocked_port',
  'http_protocol',
  'network',
  'aborted',
  'oauth',
  'proxy',
  'mtls_unreadable',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'other',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const KNOWN = new Set<string>(ATTEMPT_OUTCOMES);

/** Receives the deliveries of this process, for metrics. Called on the hot path, so it must be cheap. */
export interface DeliveryObserver {
  onEvent(event: EventName): void;
  onAttempt(outcome: AttemptOutcome, seconds: number): void;
  /** The first attempt of a delivery succeeded. @param seconds since its event was accepted */
  onFirstSuccess(seconds: number): void;
  /** An attempt made a delivery terminal. */
  onFinished(status: 'succeeded' | 'failed'): void;
}

/** Returns the label under which an attempt is counted. */
export function attemptOutcome({
  error,
  responseStatus,
}: Pick<AttemptResult, 'error' | 'responseStatus'>): AttemptOutcome {
  if (error === null) return 'succeeded';
  if (error.startsWith('oauth_')) return 'oauth';
  if (isProxyError(error)) return 'proxy';
  const name =
    error.startsWith('http_') && responseStatus ? `http_${Math.floor(responseStatus / 100)}xx` : error;
  return KNOWN.has(name) ? (name as AttemptOutcome) : 'other';
}
