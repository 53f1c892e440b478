import { type AppError, type ErrorDetail, invalidInput } from './app-error.ts';

/** Maximum number of details, so that a body of unknown fields does not get a larger response. */
export const MAX_DETAILS = 50;
const MAX_PATH_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 500;

type PathStep = string | number;

/** Appends a step to a path: `events`, `0` -> `events.0`. */
export const joinPath = (path: string, step: PathStep): string =>
  path === '' ? String(step) : `${path}.${step}`;

/** Returns true if a path is another one or within it. */
const isWithin = (path: string, base: string): boolean => path === base || path.startsWith(`${base}.`);

/** Collects all issues of one input, so that one response reports them together. */
export class InputIssues {
  readonly details: ErrorDetail[] = [];

  /** True if further issues are ignored. */
  get full(): boolean {
    return this.details.length >= MAX_DETAILS;
  }

  /** @param path as the client writes it, in steps or joined by dots */
  add(path: string | readonly PathStep[], message: string): void {
    if (this.full) return;
    const text = typeof path === 'string' ? path : path.reduce<string>(joinPath, '');
    this.details.push({
      path: text.slice(0, MAX_PATH_CHARACTERS),
      message: message.slice(0, MAX_MESSAGE_CHARACTERS),
    });
  }

  /** Returns true if an issue is at the path, within it or around it. */
  overlaps(path: string): boolean {
    return this.details.some((detail) => isWithin(path, detail.path) || isWithin(detail.path, path));
  }

  toError(): AppError {
    return invalidInput(this.details);
  }

  /** @throws AppError VALIDATION_FAILED if there are issues */
  throwIfAny(): void {
    if (this.details.length > 0) throw this.toError();
  }
}
