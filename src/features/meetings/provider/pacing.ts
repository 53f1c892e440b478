import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Cipher } from '../../../platform/cipher.ts';
import type { EndpointClass } from './adapters/adapter.types.ts';
import type { ProviderPacingDoc } from './pacing.model.ts';
import { pacingStore } from './pacing.store.ts';

/** A turn expires after this time, in case its process dies. A request must start before that. Milliseconds. */
export const START_TURN_TTL_MS = 10_000;

interface Deps {
  ProviderPacing: Model<ProviderPacingDoc>;
  /** Interval between the starts of two requests with one key, for endpoints limited to 60 requests a minute. */
  pacingMs: number;
  wait: Wait;
  cipher: Pick<Cipher, 'digest'>;
}

/** Requests with one key to endpoints of one class share a pace. */
export interface PacedRequest {
  apiKey: string;
  endpointClass: EndpointClass;
}

/** The right to start one request. */
export interface StartTurn {
  /** Ends the turn, once the request has started or will not start. Further calls do nothing. */
  end(): Promise<void>;
}

/**
 * Paces the starts of requests with one key to endpoints of one class, across all processes that share the database.
 *
 * A turn is held until its request has started, and the interval begins then: connecting takes time, and the next request
 * must not directly follow one that started late. Turns are not granted in order of arrival.
 */
export function createPacing({ ProviderPacing, pacingMs, wait, cipher }: Deps) {
  const turns = pacingStore(ProviderPacing);
  /** Returns a document id: a digest, because the API key must not be stored in the clear. */
  const pacingKey = ({ apiKey, endpointClass }: PacedRequest): string =>
    `${cipher.digest(apiKey, 'pacing')}:${endpointClass.name}`;
  const intervalOf = ({ endpointClass: { perMinute } }: PacedRequest): number =>
    Math.ceil((pacingMs * 60) / perMinute);

  return {
    /** Resolves when a request may start. Rejects when the signal aborts. */
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

    /** Delays the next request in all processes, as the provider advises. The interval covers shorter delays. */
    async slowDown(paced: PacedRequest, delayMs: number): Promise<void> {
      if (delayMs > intervalOf(paced)) await turns.delay(pacingKey(paced), delayMs);
    },
  };
}

export type Pacing = ReturnType<typeof createPacing>;
