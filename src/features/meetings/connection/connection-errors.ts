import { AppError } from '../../../errors/app-error.ts';
import { ProviderError } from '../provider/provider.types.ts';

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
