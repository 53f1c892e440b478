import { AppError } from '../errors/app-error.ts';
import { jsonBytes } from './json-size.ts';

/** Maximum size of a response in bytes (contract 4). */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Maximum number of concurrent reads of one request; together with the size of one read, it bounds the data that is loaded and then discarded. */
const MAX_CONCURRENT = 8;

export const responseTooLarge = (): AppError =>
  new AppError(
    'BAD_REQUEST',
    `The response exceeds the maximum of ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB; request fewer rows or fields.`,
  );

/**
 * Reads of rows by one request. Once their results exceed the maximum size of a response, no further read begins.
 */
export class BoundedReads {
  #bytes = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #idleListeners: (() => void)[] = [];

  /** True once the results exceed the maximum. */
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
      this.#bytes += jsonBytes(result, MAX_RESPONSE_BYTES - this.#bytes);
      if (this.exceeded) throw responseTooLarge();
      return result;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
      this.#notifyIfIdle();
    }
  }

  /** Calls `listener` once no read is in progress and the rows of the previous ones have been resolved. */
  whenIdle(listener: () => void): void {
    this.#idleListeners.push(listener);
    this.#notifyIfIdle();
  }

  /** Deferred: resolvers of the rows that were read last may begin further reads, or add listeners. */
  #notifyIfIdle(): void {
    if (this.#running > 0 || this.#idleListeners.length === 0) return;
    setImmediate(() => {
      if (this.#running > 0) return;
      const listeners = this.#idleListeners;
      this.#idleListeners = [];
      for (const listener of listeners) listener();
    });
  }

  /** Counts from 0 again, for the next event of a subscription. */
  reset(): void {
    this.#bytes = 0;
  }
}
