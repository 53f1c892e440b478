import { AppError } from '../errors/app-error.ts';
import { createKeyedCounter } from '../platform/keyed-counter.ts';
import { LIMITS } from './limits.ts';

const MAX_SUBSCRIPTIONS = LIMITS.subscriptions.default;
const MAX_QUEUED = LIMITS.queuedRequests.default;
/** Longest wait in the queue. */
const MAX_WAIT_MS = 1_000;
/** Time after which a refused client may try again; requests usually complete sooner. */
const RETRY_AFTER_SECONDS = 1;

const tooMany = (refusal: string) =>
  new AppError('RATE_LIMITED', refusal, { retryAfter: RETRY_AFTER_SECONDS });

/** A request, from its arrival. Each method calls the listener once, at once if the time has passed. */
interface LimitedRequest {
  /** When the response is complete or the connection is closed. */
  onClose(listener: () => void): void;
  /** As `onClose`, but not before the work of the request has settled. */
  onEnd(listener: () => void): void;
}

export interface KeyQueueObserver {
  /** Called when a request joins (1) or leaves (-1) the queue of any key. */
  onQueueChange?(change: 1 | -1): void;
  /** Called when a request leaves the queue of its key: to be executed, refused, or because its client has disconnected. */
  onQueueWait?(seconds: number): void;
}

/** Limits how many requests of an API key execute at a time; the rest wait in the order of their arrival. */
export interface KeyRequests {
  /**
   * Takes a slot of the key, from now until the returned function is called or the request ends: a client that disconnects
   * cannot begin others while the work of this one goes on. A request that waits holds no slot, and its body is not read.
   * @throws AppError RATE_LIMITED if the queue is full, the wait takes too long or the request is closed meanwhile
   */
  begin(keyId: string, request: LimitedRequest): Promise<() => void>;
}

interface KeyState {
  running: number;
  /** Functions that begin the waiting requests, the oldest first. */
  queue: Set<() => void>;
}

/** @param max number of requests of one key in execution */
export function createKeyRequests(max: number, observer: KeyQueueObserver = {}): KeyRequests {
  const refusal = `More than ${max} requests with this API key are in execution; retry after one has completed.`;
  const keys = new Map<string, KeyState>();

  function waitForSlot({ queue }: KeyState, request: LimitedRequest): Promise<void> {
    if (queue.size >= MAX_QUEUED) throw tooMany(refusal);
    const queuedAt = performance.now();
    observer.onQueueChange?.(1);
    return new Promise((resolve, reject) => {
      const refuse = () => {
        if (leave()) reject(tooMany(refusal));
      };
      const timer = setTimeout(refuse, MAX_WAIT_MS);
      function leave(): boolean {
        if (!queue.delete(begin)) return false;
        clearTimeout(timer);
        observer.onQueueChange?.(-1);
        observer.onQueueWait?.((performance.now() - queuedAt) / 1000);
        return true;
      }
      function begin(): void {
        leave();
        resolve();
      }
      queue.add(begin);
      request.onClose(refuse);
    });
  }

  function release(keyId: string, key: KeyState): void {
    const [beginNext] = key.queue;
    if (beginNext) {
      // The slot passes to the oldest request.
      beginNext();
      return;
    }
    key.running -= 1;
    if (key.running === 0) keys.delete(keyId);
  }

  return {
    async begin(keyId, request) {
      const key = keys.get(keyId) ?? { running: 0, queue: new Set() };
      keys.set(keyId, key);
      if (key.running < max) key.running += 1;
      else await waitForSlot(key, request);
      let isRunning = true;
      const end = () => {
        if (isRunning) release(keyId, key);
        isRunning = false;
      };
      request.onEnd(end);
      return end;
    },
  };
}

/** Creates the limit on open subscriptions, which are not requests in execution. */
export function createSubscriptionLimit() {
  const refusal = `More than ${MAX_SUBSCRIPTIONS} subscriptions with this API key are open; close one first.`;
  const subscriptions = createKeyedCounter();
  /** Counts a subscription until it is closed. @throws AppError RATE_LIMITED */
  return (keyId: string, request: Pick<LimitedRequest, 'onClose'>): void => {
    const end = subscriptions.open(keyId, MAX_SUBSCRIPTIONS);
    if (!end) throw tooMany(refusal);
    request.onClose(end);
  };
}
