import type { EventName } from './catalogue.ts';
import type { AttemptResult } from './settle.ts';

/**
 * What may come of an attempt, as it is counted: the codes of a delivery's `error`, statuses by their class.
 * Bounded, whatever receivers answer.
 */
export const ATTEMPT_OUTCOMES = [
  'succeeded',
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns',
  'tls',
  'blocked_address',
  'http_protocol',
  'network',
  'aborted',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'other',
] as const;

const KNOWN = new Set<string>(ATTEMPT_OUTCOMES);

/** Told of what happens to deliveries in this process, for the operator. Called on the hot path: does next to nothing. */
export interface DeliveryObserver {
  /** An event is committed. */
  onEvent(event: EventName): void;
  onAttempt(outcome: (typeof ATTEMPT_OUTCOMES)[number], seconds: number): void;
  /** The first attempt of a delivery has succeeded, so many seconds after its event was accepted. */
  onFirstSuccess(seconds: number): void;
  /** An attempt has made a delivery terminal. */
  onFinished(status: 'succeeded' | 'failed'): void;
}

/** Under which name an attempt is counted. */
export function outcomeOf({ error, responseStatus }: Pick<AttemptResult, 'error' | 'responseStatus'>) {
  if (error === null) return 'succeeded';
  const name =
    error.startsWith('http_') && responseStatus ? `http_${Math.floor(responseStatus / 100)}xx` : error;
  return (KNOWN.has(name) ? name : 'other') as (typeof ATTEMPT_OUTCOMES)[number];
}
