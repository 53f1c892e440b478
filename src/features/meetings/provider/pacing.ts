import { hash, randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Wait } from '../../../platform/wait.ts';
import type { ConnectorPacingDoc } from './pacing.model.ts';
import { pacingStore } from './pacing.store.ts';

/**
 * How long a turn is held at most: only a dead process is passed over. A request that has not started by then must
 * not start any more. Milliseconds.
 */
export const HOLD_MS = 10_000;

interface Deps {
  ConnectorPacing: Model<ConnectorPacingDoc>;
  /** Milliseconds from the start of one request to the start of the next with the same key. */
  pacingMs: number;
  wait: Wait;
}

/** The right to start one request. */
export interface PacedTurn {
  /** To be called when the request starts, and when it will not start at all; only the first call counts. */
  pass(): Promise<void>;
}

/**
 * Keeps the starts of requests with one key apart, over all processes that share the database.
 *
 * A turn is held until its request has really started, and the next one counts from there: opening a connection
 * takes time, and a request that is sent late must not have the next one on its heels. Whoever stops waiting has
 * held nothing, so nothing is lost by it. Who waits at the same time comes in no particular order.
 */
export function createPacing({ ConnectorPacing, pacingMs, wait }: Deps) {
  const turns = pacingStore(ConnectorPacing, pacingMs);

  return {
    /** Waits until a request with this key may start. Rejects when the signal aborts. */
    async turn(apiKey: string, signal?: AbortSignal): Promise<PacedTurn> {
      // The key itself is in no place where it is not encrypted.
      const key = hash('sha256', apiKey);
      const holder = randomUUID();
      for (;;) {
        signal?.throwIfAborted();
        const turn = await turns.take(key, holder, HOLD_MS);
        if (turn.taken) break;
        await wait(Math.max(1, turn.waitMs), signal);
      }
      let passed: Promise<void> | undefined;
      return {
        pass() {
          passed ??= turns.pass(key, holder);
          return passed;
        },
      };
    },
  };
}

export type Pacing = ReturnType<typeof createPacing>;
