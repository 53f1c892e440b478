import { setImmediate } from 'node:timers/promises';
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
  #maxConcurrent = MAX_CONCURRENT;
  readonly #waiting: (() => void)[] = [];

  /** True once the results exceed the maximum. */
  get exceeded(): boolean {
    return this.#bytes > MAX_RESPONSE_BYTES;
  }

  /** Runs a read and counts its result. @throws AppError BAD_REQUEST if the maximum is exceeded */
  async run<T>(read: () => T | Promise<T>): Promise<T> {
    if (this.#running === this.#maxConcurrent)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      if (this.exceeded) throw responseTooLarge();
      const result = await read();
      // Other requests are served between the reads of a large one.
      if (this.#maxConcurrent === 1) await setImmediate();
      this.#bytes += jsonBytes(result, MAX_RESPONSE_BYTES - this.#bytes);
      if (this.exceeded) throw responseTooLarge();
      return result;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Runs one read at a time: the results of concurrent reads may arrive together, and block the process while they are processed. */
  oneAtATime(): void {
    this.#maxConcurrent = 1;
  }

  /** Counts from 0 again, for the next event of a subscription. */
  reset(): void {
    this.#bytes = 0;
  }
}
