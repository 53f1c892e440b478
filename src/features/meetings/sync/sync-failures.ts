import { AppError } from '../../../errors.ts';
import { CipherError } from '../../../platform/cipher.ts';
import type { ConnectionStatus, SyncFailure } from '../meetings.types.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/provider.types.ts';

/** A sync that cannot go on, in words for the tenant. */
export class SyncError extends Error {
  readonly failure: SyncFailure;

  constructor(failure: SyncFailure) {
    super(failure.message);
    this.name = 'SyncError';
    this.failure = failure;
  }
}

const FAILURES: Record<Exclude<ProviderErrorCode, 'cancelled'>, SyncFailure> = {
  key_invalid: {
    code: 'PROVIDER_KEY_INVALID',
    message: 'The provider does not accept the API key. Connect with a new one.',
  },
  rate_limited: {
    code: 'RATE_LIMITED',
    message: 'The provider keeps asking for fewer requests. What is missing comes with the next sync.',
  },
  unavailable: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider cannot be reached, or fails. What is missing comes with the next sync.',
  },
  bad_answer: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider has answered with something that is no list of meetings.',
  },
  foreign_next: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider has named a next page at another address, which is not followed.',
  },
};

export const UNBOUNDED_LISTING: SyncFailure = {
  code: 'PROVIDER_UNAVAILABLE',
  message: "The provider's list has no end: it has named a page that was there before, or too many pages.",
};

export const REPEATED_INTERRUPTIONS: SyncFailure = {
  code: 'INTERNAL',
  message: 'The sync broke off at the same page time and again.',
};

/** What has ended a sync and what that means for the connection; null: nothing that trying again could not change. */
export function failureOf(
  error: unknown,
): { failure: SyncFailure; status: ConnectionStatus; retryAfter: Date | null } | null {
  if (error instanceof SyncError) return { failure: error.failure, status: 'failing', retryAfter: null };
  if (error instanceof CipherError) {
    const message =
      'The stored API key cannot be opened with the encryption keys of the service. Connect again.';
    return { failure: { code: 'NOT_CONFIGURED', message }, status: 'failing', retryAfter: null };
  }
  if (!(error instanceof ProviderError) || error.code === 'cancelled') return null;
  return {
    failure: FAILURES[error.code],
    status: error.code === 'key_invalid' ? 'key_invalid' : 'failing',
    retryAfter: error.retryAfter,
  };
}

export const notConfigured = () =>
  new AppError('NOT_CONFIGURED', 'This service has no meeting provider: its operator has to name one.');

/** What a caller is told whose new key could not be checked. */
export function connectFailure(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  return error.code === 'key_invalid'
    ? new AppError('PROVIDER_KEY_INVALID', 'The provider does not accept this API key.', { cause: error })
    : new AppError('PROVIDER_UNAVAILABLE', 'The key could not be checked: the provider does not answer.', {
        cause: error,
      });
}
