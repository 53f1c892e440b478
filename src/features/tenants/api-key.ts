import { hash, randomBytes } from 'node:crypto';
import type { KeyState } from '../../shared/key-limits.ts';
import type { Scope } from './scopes.ts';
import type { ApiKeyDoc } from './tenants.model.ts';
import type { ApiKey, Principal, SessionOfKey } from './tenants.types.ts';

const SCOPE_LETTER = { read: 'r', write: 'w', admin: 'a' } as const satisfies Record<Scope, string>;

/** Other values are rejected without a database query (contract 3). */
export const API_KEY_PATTERN = /^eg_[rwa]_[A-Za-z0-9_-]{43}$/;

/** Characters that are stored and displayed: `eg_w_` and 6 of the 43 random characters. */
const DISPLAY_LENGTH = 11;

/** Generates an API key: `eg_<scope letter>_<base64url of 32 random bytes>`. */
export const newApiKey = (scope: Scope): string =>
  `eg_${SCOPE_LETTER[scope]}_${randomBytes(32).toString('base64url')}`;

/**
 * Returns the SHA-256 of a key in hexadecimal, which is stored instead of the key. It needs no salt and no slow hash,
 * because a key has 256 random bits.
 */
export const hashApiKey = (key: string): string => hash('sha256', key);

/** Returns the start of a key, which identifies it in lists; 220 random bits remain secret. */
export const apiKeyPrefix = (key: string): string => key.slice(0, DISPLAY_LENGTH);

/** Only an active key is accepted. */
export function apiKeyState(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): KeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}

type Limits = Pick<Principal, 'resources' | 'networks'>;

const lacks = (held: readonly string[] | null, permitted: readonly string[] | null): boolean =>
  permitted !== null && (held === null || held.some((value) => !permitted.includes(value)));

/** Returns true if a key no longer permits something that it permitted. */
export const isNarrower = (now: Limits, before: Limits): boolean =>
  lacks(before.resources, now.resources) || lacks(before.networks, now.networks);

/** Returns the limits of a stored key. */
export const limitsOf = ({ resources, networks }: Pick<ApiKeyDoc, 'resources' | 'networks'>): Limits => ({
  resources: resources ?? null,
  networks: networks ?? null,
});

/** Returns true if a sign-out, or a narrowing of its key, has ended the session. */
export const isEndedSession = (
  { endedSessions = [], sessionsEndedAt }: Pick<ApiKeyDoc, 'endedSessions' | 'sessionsEndedAt'>,
  { id, startedAt }: SessionOfKey,
): boolean =>
  (sessionsEndedAt !== undefined && startedAt <= sessionsEndedAt) ||
  endedSessions.some((ended) => ended.id === id);
