import { AppError } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KeyService } from './keys.service.ts';
import type { Principal } from './tenants.types.ts';

/** Lifetime of a session; use does not extend it. */
const SESSION_HOURS = 12;

/** Additional data of the encryption: no other ciphertext of the service is a session. */
const OWNER = 'console-session';

/** Content of a session: it names its API key and cannot be used to derive it. */
interface SessionContent {
  keyId: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

interface SessionsDeps {
  cipher: Cipher;
  keys: Pick<KeyService, 'authenticateId'>;
  clock: Clock;
}

const refused = (message: string) => new AppError('UNAUTHENTICATED', message);

/**
 * Sessions of the console. A session is an encrypted token that every process with the encryption key accepts; nothing
 * is stored. Only the holder of a session that the service issued can learn from an error why it has ended.
 */
export function consoleSessions({ cipher, keys, clock }: SessionsDeps) {
  function contentOf(token: string): SessionContent {
    try {
      return JSON.parse(cipher.decrypt(token, OWNER));
    } catch {
      throw refused('There is no valid session; sign in with an API key.');
    }
  }

  return {
    /** Starts a session with the rights of an authenticated key. */
    start({ keyId }: Pick<Principal, 'keyId'>): { token: string; expiresAt: Date } {
      const expiresAt = new Date(clock.now().getTime() + SESSION_HOURS * 3_600_000);
      const content: SessionContent = { keyId, expiresAt: expiresAt.getTime() };
      return { token: cipher.encrypt(JSON.stringify(content), OWNER), expiresAt };
    },

    /**
     * Returns the principal of a session's key, and the time left.
     * @throws AppError `UNAUTHENTICATED` if the session is not valid or has expired, or its key is not active
     */
    async authenticate(token: string): Promise<{ principal: Principal; leftMs: number }> {
      const { keyId, expiresAt } = contentOf(token);
      const leftMs = expiresAt - clock.now().getTime();
      if (leftMs <= 0) throw refused(`The session has expired: a session lasts ${SESSION_HOURS} hours.`);
      return { principal: await keys.authenticateId(keyId), leftMs };
    },
  };
}

export type ConsoleSessions = ReturnType<typeof consoleSessions>;
