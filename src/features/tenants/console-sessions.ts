import { AppError } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KeyLookUp, KeyService } from './keys.service.ts';
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

/** Failed authentication of a browser whose session has ended; takes no query and is not an attempt to guess one. */
export class EndedSession extends AppError {
  constructor(message: string) {
    super('UNAUTHENTICATED', message);
  }
}

/**
 * Sessions of the console. A session is an encrypted token that every process with the encryption key accepts; nothing
 * is stored. Only the holder of a session that the service issued can learn from an error why it has ended.
 */
export function consoleSessions({ cipher, keys, clock }: SessionsDeps) {
  function contentOf(token: string): SessionContent {
    try {
      return JSON.parse(cipher.decrypt(token, OWNER));
    } catch {
      throw new AppError('UNAUTHENTICATED', 'There is no valid session; sign in with an API key.');
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
     * Returns the principal of a session's key, and the function that returns the time left.
     * @param token undefined if the browser has none
     * @throws EndedSession if there is no token, or the session has expired; AppError `UNAUTHENTICATED` if the token is
     *   not valid, or the key is not active
     */
    async authenticate(
      token: string | undefined,
      lookUp: KeyLookUp = {},
    ): Promise<{ principal: Principal; leftMs: () => number }> {
      if (token === undefined)
        throw new EndedSession('The browser no longer has the session: it was closed, or it blocks cookies.');
      const { keyId, expiresAt } = contentOf(token);
      const leftMs = () => expiresAt - clock.now().getTime();
      if (leftMs() <= 0)
        throw new EndedSession(`The session has expired: a session lasts ${SESSION_HOURS} hours.`);
      return { principal: await keys.authenticateId(keyId, lookUp), leftMs };
    },
  };
}

export type ConsoleSessions = ReturnType<typeof consoleSessions>;
