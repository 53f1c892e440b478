import { hash, randomBytes } from 'node:crypto';
import type { Scope } from './scopes.ts';

const SCOPE_LETTER = { read: 'r', write: 'w', admin: 'a' } as const satisfies Record<Scope, string>;

/** Every well-formed API key; anything else is refused before it reaches the database (contract 3). */
export const API_KEY_PATTERN = /^eg_[rwa]_[A-Za-z0-9_-]{43}$/;

/** Characters of a key that may be stored and shown: `eg_w_` and 6 of the 43 random ones. */
const DISPLAY_LENGTH = 11;

/** A new API key, `eg_<scope letter>_<base64url of 32 random bytes>`: 256 bits that nobody can guess. */
export const newApiKey = (scope: Scope): string =>
  `eg_${SCOPE_LETTER[scope]}_${randomBytes(32).toString('base64url')}`;

/**
 * SHA-256 of a key in hexadecimal: all that is stored of it.
 * No salt and no slow hash: the keys are random and long, so there is no dictionary to try.
 */
export const hashApiKey = (key: string): string => hash('sha256', key);

/** First characters of a key, to recognise it by; the 220 bits behind them stay unknown. */
export const apiKeyPrefix = (key: string): string => key.slice(0, DISPLAY_LENGTH);
