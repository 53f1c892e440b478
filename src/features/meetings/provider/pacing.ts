import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Cipher } from '../../../platform/cipher.ts';
import type { EndpointClass } from './adapters/adapter.types.ts';
import type { ProviderPacingDoc } from './pacing.model.ts';
import { pacingStore } from './pacing.store.ts';

/** Expiry of a turn, for processes that die with it. A request must start before it. Milliseconds. */
export const START_TURN_TTL_MS = 10_000;

interface Deps {
  ProviderPacing: Model<ProviderPacingDoc>;
  /** Interval between the starts of two requests with the same key, to endpoints limited to 60 requests a minute. */
  pacingMs: number;
  wait: Wait;
  cipher: Pick<Cipher, 'digest'>;
}

/** Requests that share a pace: those with one key to the endpoints of one class. */
export interface PacedRequest {
  apiKey: string;
  endpointClass: EndpointClass;
}

/** The right to start one request. */
export interface StartTurn {
  /** Ends the turn; called when the request starts, or when it will not start. Further calls do nothing. */
  end(): Promise<void>;
}

/**
 * Paces the starts of requests with one key to the endpoints of one class, over all processes that share the database.
 *
 * A turn is held until its request has started, and the interval counts from there: connecting takes time, and a
 * request that starts late must not be followed at once by the next one. Turns are not granted in order of arrival.
 */
export function createPacing({ ProviderPacing, pacingMs, wait, cipher }: Deps) {
  const turns = pacingStore(ProviderPacing);
  /** Returns the id under which the database paces requests: a digest, since the API key is stored only encrypted. */
  const pacingKey = ({ apiKey, endpointClass }: PacedRequest): string =>
    `${cipher.digest(apiKey, 'pacing')}:${endpointClass.name}`;
  const intervalOf = ({ endpointClass: { perMinute } }: PacedRequest): number =>
    Math.ceil((pacingMs * 60) / perMinute);

  return {
    /** Waits until a request with this key may start. Rejects when the signal aborts. */
    async turn(paced: PacedRequest, signal?: AbortSignal): Promise<StartTurn> {
      const claim = { key: pacingKey(paced), holder: randomUUID(), intervalMs: intervalOf(paced) };
      for (;;) {
        signal?.throwIfAborted();
        const attempt = await turns.acquire(claim, START_TURN_TTL_MS);
        if (attempt.acquired) break;
        await wait(Math.max(1, attempt.waitMs), signal);
      }
      let ended: Promise<void> | undefined;
      return {
        end() {
          ended ??= turns.end(claim);
          return ended;
        },
      };
    },

    /** Delays the next request as the provider advises, in all processes; the interval covers shorter delays. */
    async slowDown(paced: PacedRequest, delayMs: number): Promise<void> {
      if (delayMs > intervalOf(paced)) await turns.delay(pacingKey(paced), delayMs);
    },
  };
}

export type Pacing = ReturnType<typeof createPacing>;
