import type { ApiKey } from './tenants.types.ts';

export type ApiKeyState = 'active' | 'expired' | 'revoked';

/** Returns the state of a key at a time; only an active key is accepted. */
export function apiKeyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}
