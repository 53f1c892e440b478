import { AppError } from '../../../errors/app-error.ts';
import { TenantLimitReached } from '../../../limits/tenant-limits.ts';
import { CipherError } from '../../../platform/cipher.ts';
import type { ConnectionStatus, SyncFailure } from '../meetings.types.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/provider.types.ts';

export const notConfiguredError = () =>
  new AppError(
    'NOT_CONFIGURED',
    'This service has no meeting provider. Ask the operator to set RECORDER_API_URL.',
  );

export const notConnectedError = () =>
  new AppError('NOT_CONFIGURED', 'No meeting recorder is connected. Connect one first.');

/** Translates a failed key check for the client; returns any other error unchanged. */
export function connectError(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  return error.code === 'key_invalid'
    ? new AppError(
        'PROVIDER_KEY_INVALID',
        'The provider does not accept this API key. Check the key and connect again.',
        { cause: error },
      )
    : new AppError('PROVIDER_UNAVAILABLE', 'The provider could not confirm the API key. Try again later.', {
        cause: error,
      });
}

export const KEY_INVALID: SyncFailure = {
  code: 'PROVIDER_KEY_INVALID',
  message: 'The provider does not accept the API key. Connect with a new one.',
};

const PROVIDER_FAILURES: Record<Exclude<ProviderErrorCode, 'cancelled' | 'too_large'>, SyncFailure> = {
  key_invalid: KEY_INVALID,
  rate_limited: {
    code: 'RATE_LIMITED',
    message: 'The provider keeps rate-limiting requests. The next sync fetches the missing meetings.',
  },
  unavailable: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider is unreachable or fails. The next sync fetches the missing meetings.',
  },
  bad_response: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider returned a response that is not a list of meetings. Report this to the operator.',
  },
  foreign_next: {
    code: 'PROVIDER_UNAVAILABLE',
    message: 'The provider returned a next page on another origin. Report this to the operator.',
  },
};

const tooLarge = ({ message }: ProviderError): SyncFailure => ({
  code: 'PROVIDER_UNAVAILABLE',
  message: `${message} Report this to the operator.`,
});

const UNREADABLE_KEY: SyncFailure = {
  code: 'NOT_CONFIGURED',
  message: 'The stored API key cannot be decrypted with the encryption keys of the service. Connect again.',
};

/** Why a call to the provider failed, and the new status of the connection. */
export interface ConnectionFailure {
  failure: SyncFailure;
  status: ConnectionStatus;
  /** When the provider accepts requests again; null if it did not say. */
  retryAfter: Date | null;
}

export const connectionFailure = (failure: SyncFailure): ConnectionFailure => ({
  failure,
  status: 'failing',
  retryAfter: null,
});

/** Returns null for an error that does not end a sync or an attempt: another process may then continue it. */
export function failureOf(error: unknown): ConnectionFailure | null {
  if (error instanceof CipherError) return connectionFailure(UNREADABLE_KEY);
  if (error instanceof TenantLimitReached)
    return connectionFailure({ code: error.code, message: error.message });
  if (!(error instanceof ProviderError) || error.code === 'cancelled') return null;
  return {
    failure: error.code === 'too_large' ? tooLarge(error) : PROVIDER_FAILURES[error.code],
    status: error.code === 'key_invalid' ? 'key_invalid' : 'failing',
    retryAfter: error.retryAfter,
  };
}
