interface KeyTimes {
  expiresAt: string | null;
  revokedAt: string | null;
}

type KeyState = 'active' | 'expired' | 'revoked';

/** Derives the state of a key; only an active key is accepted. */
export function keyState({ expiresAt, revokedAt }: KeyTimes, now = Date.now()): KeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}
