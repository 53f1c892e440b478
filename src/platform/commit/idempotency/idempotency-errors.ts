import { AppError } from '../../../errors/app-error.ts';

export const differentInput = () =>
  new AppError(
    'CONFLICT',
    'This Idempotency-Key was used with a different request; use a new key for a new request.',
  );

export const inProgress = () =>
  new AppError(
    'CONFLICT',
    'A request with this Idempotency-Key is in progress; retry after the time in Retry-After.',
    { retryAfter: 1 },
  );

export const noResponse = () =>
  new AppError(
    'CONFLICT',
    'The response to the first request with this Idempotency-Key was not stored, and the request may have been executed; read the current state, then use a new key for a new request.',
  );
