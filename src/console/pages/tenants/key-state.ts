interface KeyTimes {
  expiresAt: string | null;
  revokedAt: string | null;
}

type KeyState = 'active' | 'expired' | 'revoked';

/** Whether a key opens anything now. */
export function keyState({ expiresAt, revokedAt }: KeyTimes, now = Date.now()): KeyState {
  if (revokedAt) return 'revoked';
  return expiresAt && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}
