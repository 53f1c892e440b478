import type { Socket } from 'node:net';
import { LIMITS } from './limits.ts';

const BUDGET_BYTES = LIMITS.responseMemoryMiB.default * 1024 * 1024;
/** Smaller responses are not counted: the limits on connections and on requests in execution bound them. */
const MIN_BYTES = 16 * 1024;
/** Memory of a read in execution as a multiple of its response: its rows, its text and its bytes exist together. */
const READ_FACTOR = 3;
/** Interval at which the slowest reader is disconnected while the budget is exceeded, and over which it is measured. */
const CHECK_MS = 1_000;

/** A request whose response takes memory. */
interface Scope {
  readonly req: { readonly socket: Socket };
  onClose(listener: () => void): void;
}

export interface UnsentResponseObserver {
  /** Called with the bytes that are reserved or held, after each change. */
  onUnsentBytes?(bytes: number): void;
  /** Called for every connection that is closed because it is the slowest while the budget is exceeded. */
  onSlowestReader?(): void;
}

/** Budget of the process for the responses of all callers. */
export interface UnsentResponses {
  /**
   * Waits until there is room for a large read, in the order of the calls. The request keeps its room until it
   * ends. Resolves without room if the connection is closed.
   * @param responseBytes estimated size of the response
   */
  reserve(scope: Scope, responseBytes: number): Promise<void>;
  /** Counts the body that is sent now, in place of the reservation of its scope. */
  hold(scope: Scope, bytes: number): void;
}

interface Use {
  bytes: number;
  isSending: boolean;
  /** Bytes that the operating system had accepted at the latest check; null before the first one. */
  sentBytes: number | null;
}

interface Waiting {
  scope: Scope;
  bytes: number;
  begin(): void;
}

const sentBytes = ({ req: { socket } }: Scope): number => socket.bytesWritten - socket.writableLength;

export function createUnsentResponses(observer: UnsentResponseObserver): UnsentResponses {
  const uses = new Map<Scope, Use>();
  const queue: Waiting[] = [];
  let totalBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function use(scope: Scope, bytes: number, isSending: boolean): void {
    const earlier = uses.get(scope);
    uses.set(scope, { bytes, isSending, sentBytes: null });
    totalBytes += bytes - (earlier?.bytes ?? 0);
    if (!earlier) scope.onClose(() => release(scope));
    update();
  }

  function release(scope: Scope): void {
    totalBytes -= uses.get(scope)?.bytes ?? 0;
    uses.delete(scope);
    update();
  }

  /** Begins the reads that fit; starts to measure the readers if a read has to wait. */
  function update(): void {
    for (let [next] = queue; next && hasRoom(next.bytes); [next] = queue) {
      queue.shift();
      next.begin();
    }
    observer.onUnsentBytes?.(totalBytes);
    if (isExceeded() && !timer) {
      measure();
      timer = setTimeout(check, CHECK_MS).unref();
    }
  }

  const hasRoom = (bytes: number): boolean => totalBytes === 0 || totalBytes + bytes <= BUDGET_BYTES;
  const isExceeded = (): boolean => queue.length > 0 || totalBytes > BUDGET_BYTES;

  function measure(): void {
    for (const [scope, entry] of uses) if (entry.isSending) entry.sentBytes = sentBytes(scope);
  }

  function check(): void {
    timer = undefined;
    let slowest: Scope | undefined;
    let least = Number.POSITIVE_INFINITY;
    let heldBytes = 0;
    for (const [scope, entry] of uses) {
      if (entry.isSending) heldBytes += entry.bytes;
      const progress = entry.sentBytes === null ? least : sentBytes(scope) - entry.sentBytes;
      if (progress < least) [slowest, least] = [scope, progress];
    }
    // Otherwise reads in execution take the room, and end without a connection that has to be closed.
    const isHeldByReaders = heldBytes + (queue[0]?.bytes ?? 0) > BUDGET_BYTES;
    if (slowest && isHeldByReaders) {
      observer.onSlowestReader?.();
      // A reset, so that the operating system discards its unsent data as well.
      slowest.req.socket.resetAndDestroy();
    }
    update();
  }

  return {
    async reserve(scope, responseBytes) {
      const bytes = Math.min(READ_FACTOR * responseBytes, BUDGET_BYTES);
      await new Promise<void>((resolve) => {
        const begin = () => {
          use(scope, bytes, false);
          resolve();
        };
        if (queue.length === 0 && hasRoom(bytes)) {
          begin();
          return;
        }
        const waiting = { scope, bytes, begin };
        queue.push(waiting);
        scope.onClose(() => {
          const index = queue.indexOf(waiting);
          if (index >= 0) queue.splice(index, 1);
          resolve();
          update();
        });
        update();
      });
    },

    hold(scope, bytes) {
      if (bytes >= MIN_BYTES || uses.has(scope)) use(scope, bytes, true);
    },
  };
}
