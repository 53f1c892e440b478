import { AppError } from '../errors/app-error.ts';

export const toSidecarError = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('INTERNAL', 'Internal error; see the log of the sidecar.', { cause: error });
