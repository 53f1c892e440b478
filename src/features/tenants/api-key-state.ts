import type { ApiKeyDoc } from './tenants.model.ts';
import type { ApiKey, SessionOfKey } from './tenants.types.ts';

export type ApiKeyState = 'active' | 'expired' | 'revoked';

/** Only an active key is accepted. */
export function apiKeyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}

/** Returns true if a sign-out has ended the session. */
export const isEndedSession = (
  { endedSessions = [], sessionsEndedAt }: Pick<ApiKeyDoc, 'endedSessions' | 'sessionsEndedAt'>,
  { id, startedAt }: SessionOfKey,
): boolean =>
  (sessionsEndedAt !== undefined && startedAt <= sessionsEndedAt) ||
  endedSessions.some((ended) => ended.id === id);
