import { setImmediate } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import { jsonBytes } from '../platform/json-size.ts';
import { LIMITS } from './limits.ts';

/** Maximum size of a response in bytes. */
export const MAX_RESPONSE_BYTES = LIMITS.responseMiB.default * 1024 * 1024;
/** Together with the size of one read, this bounds the data that is loaded and then discarded. */
const MAX_CONCURRENT = LIMITS.concurrentReads.default;

export const responseTooLarge = (): AppError =>
  new AppError(
    'BAD_REQUEST',
    `The response exceeds the maximum of ${LIMITS.responseMiB.default} MiB; request fewer rows or fields.`,
  );

/**
 * Reads of rows by one request. Once their results exceed the maximum size of a response, no further read begins.
 */
export class BoundedReads {
  #bytes = 0;
  #running = 0;
  #isSpread = false;
  /** Resolves when the event loop processes the latest result. */
  #latestIteration = Promise.resolve();
  readonly #waiting: (() => void)[] = [];
  readonly #idleListeners: (() => void)[] = [];

  get exceeded(): boolean {
    return this.#bytes > MAX_RESPONSE_BYTES;
  }

  /** Runs a read and counts its result. @throws AppError BAD_REQUEST if the maximum is exceeded */
  async run<T>(read: () => T | Promise<T>): Promise<T> {
    if (this.#running === MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      if (this.exceeded) throw responseTooLarge();
      const result = await read();
      if (this.#isSpread) await this.#ownIteration();
      this.#bytes += jsonBytes(result, MAX_RESPONSE_BYTES - this.#bytes);
      if (this.exceeded) throw responseTooLarge();
      return result;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
      void this.#notifyIfIdle();
    }
  }

  /**
   * Processes each result in an iteration of the event loop of its own. The results of concurrent reads may arrive
   * together; other requests are served between them.
   */
  spread(): void {
    this.#isSpread = true;
  }

  #ownIteration(): Promise<void> {
    this.#latestIteration = this.#latestIteration.then(() => setImmediate());
    return this.#latestIteration;
  }

  /** Calls `listener` once no read is in progress and all rows read so far are resolved. */
  whenIdle(listener: () => void): void {
    this.#idleListeners.push(listener);
    void this.#notifyIfIdle();
  }

  async #notifyIfIdle(): Promise<void> {
    if (this.#running > 0 || this.#idleListeners.length === 0) return;
    // The resolvers of the rows that were read last may begin further reads, or add listeners.
    await setImmediate();
    if (this.#running > 0) return;
    for (const listener of this.#idleListeners.splice(0)) listener();
  }

  /** Counts from 0 again, for the next event of a subscription. */
  reset(): void {
    this.#bytes = 0;
  }
}
