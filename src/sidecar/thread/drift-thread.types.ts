import type { ErrorCode, ErrorDetail } from '../../errors.ts';
import type { Drift } from '../drift-engine.ts';

/** What the thread is started with. */
export interface ThreadData {
  mongodbUri: string;
  threshold: number;
}

export interface Call {
  id: number;
  name: keyof Drift;
  input: unknown[];
}

/** An `AppError` that crosses threads. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details: ErrorDetail[] | undefined;
  cause: string;
}

export type Reply =
  | { type: 'ready' }
  | { type: 'refused'; failure: Failure }
  | { type: 'warning'; failure: Failure }
  | { type: 'result'; id: number; result: unknown }
  | { type: 'failure'; id: number; failure: Failure };
