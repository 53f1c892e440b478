import type { CurrentWindow, DriftThreshold, OutcomeDelay, ReferenceSetting } from '../../config/values.ts';
import type { ErrorDetail } from '../../errors/app-error.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';
import type { DriftEngine } from '../drift-engine.ts';

/** `workerData` of the thread. */
export interface ThreadData {
  mongodbUri: string;
  threshold: DriftThreshold;
  currentWindow: CurrentWindow | null;
  outcomeDelay: OutcomeDelay | null;
  reference: ReferenceSetting;
}

/** A call of an engine, or of all models if it names none. */
export interface Call {
  id: number;
  model: string | null;
  name: keyof DriftEngine | 'list';
  input: unknown[];
}

/** An `AppError` as a structured-cloneable object. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details: ErrorDetail[] | undefined;
  cause: string;
}

export type Reply =
  | { type: 'ready' }
  | { type: 'startFailed'; failure: Failure }
  | { type: 'warning'; failure: Failure }
  | { type: 'result'; id: number; result: unknown }
  | { type: 'failure'; id: number; failure: Failure };
