import { AppError, type ErrorDetail } from '../errors.ts';

/** More than anyone corrects at once; a body of nothing but unknown keys must not be answered by a larger one. */
const MOST = 50;
const LONGEST_PATH = 200;

/** Collects all that is wrong with one input, so that its sender hears of it at once. */
export class Issues {
  readonly details: ErrorDetail[] = [];

  /** Whether enough was found: nothing more is taken. */
  get full(): boolean {
    return this.details.length >= MOST;
  }

  /** @param path as the client writes it; empty for the body as a whole */
  add(path: string, message: string): void {
    if (!this.full) this.details.push({ path: path.slice(0, LONGEST_PATH) || 'body', message });
  }

  /** @throws AppError VALIDATION_FAILED where anything was found */
  throwIfAny(): void {
    if (this.details.length === 0) return;
    throw new AppError('VALIDATION_FAILED', 'The input is not valid.', { details: this.details });
  }
}
