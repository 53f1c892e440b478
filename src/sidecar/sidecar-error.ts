import { AppError } from '../errors/app-error.ts';

/** Returns an `AppError` unchanged; any other error becomes INTERNAL with the original as cause. */
export const toSidecarError = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('INTERNAL', 'Internal error; see the log of the sidecar.', { cause: error });
