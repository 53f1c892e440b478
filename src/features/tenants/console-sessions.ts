import { randomBytes } from 'node:crypto';
import { AppError, hasCode } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import { EndedSession, type KeyLookUp, type KeyService } from './keys.service.ts';
import type { Principal } from './tenants.types.ts';

/** Lifetime of a session; use does not extend it. */
const SESSION_HOURS = 12;
const SESSION_MS = SESSION_HOURS * 3_600_000;
/** Time without use after which a session ends. */
const IDLE_MINUTES = 30;
const IDLE_MS = IDLE_MINUTES * 60_000;
/** Age from which a token is replaced when it is used: the accuracy of the time without use. */
const RENEWAL_MS = 60_000;

/** Additional data of the encryption: no other ciphertext of the service is a session. */
const OWNER = 'console-session';

/** Content of a token: it names its API key and cannot be used to derive it. Times in Unix milliseconds. */
interface SessionContent {
  id: string;
  keyId: string;
  expiresAt: number;
  /** Use after which the session was last found in use. */
  usedAt: number;
}

interface SessionsDeps {
  cipher: Cipher;
  keys: Pick<KeyService, 'authenticateSession' | 'endSession' | 'endSessions'>;
  clock: Clock;
}

export interface AuthenticatedSession {
  principal: Principal;
  /** Returns the time left until the session ends without further use. Milliseconds. */
  leftMs(): number;
  /** Returns the token that records this use; null if that of the request still does. */
  renewedToken(): string | null;
}

/**
 * Sessions of the console. A session is an encrypted token that every process with the encryption key accepts. Only the
 * sessions that a sign-out has ended are stored, with their API key, until they expire; each request reads the key
 * anyway. The time of the last use is in the token, which is replaced from time to time. Only the holder of a session
 * that the service issued can learn from an error why it has ended.
 */
export function createConsoleSessions({ cipher, keys, clock }: SessionsDeps) {
  const nowMs = () => clock.now().getTime();
  const tokenOf = (content: SessionContent): string => cipher.encrypt(JSON.stringify(content), OWNER);

  /** @throws EndedSession, AppError `UNAUTHENTICATED` */
  function contentOf(token: string | undefined): SessionContent {
    if (token === undefined)
      throw new EndedSession('The browser no longer has the session: it was closed, or it blocks cookies.');
    try {
      return JSON.parse(cipher.decrypt(token, OWNER));
    } catch {
      throw new AppError('UNAUTHENTICATED', 'There is no valid session; sign in with an API key.');
    }
  }

  const endOf = ({ expiresAt, usedAt }: SessionContent): number => Math.min(expiresAt, usedAt + IDLE_MS);

  /**
   * Returns the principal of a session's key, and what is known of the session.
   * @param token undefined if the browser has none
   * @throws EndedSession if there is no token, or the session was ended or has expired; AppError `UNAUTHENTICATED` if
   *   the token is not valid, or the key is not active
   */
  async function authenticate(
    token: string | undefined,
    lookUp: KeyLookUp = {},
  ): Promise<AuthenticatedSession> {
    const content = contentOf(token);
    const { id, keyId, expiresAt, usedAt } = content;
    if (expiresAt <= nowMs())
      throw new EndedSession(`The session has expired: a session lasts ${SESSION_HOURS} hours.`);
    // A token of an earlier version has no time of use.
    if (!(endOf(content) > nowMs()))
      throw new EndedSession(`The session has ended after ${IDLE_MINUTES} minutes without use.`);
    const session = { id, startedAt: new Date(expiresAt - SESSION_MS) };
    return {
      principal: await keys.authenticateSession(keyId, session, lookUp),
      leftMs: () => endOf(content) - nowMs(),
      renewedToken: () => (nowMs() - usedAt < RENEWAL_MS ? null : tokenOf({ ...content, usedAt: nowMs() })),
    };
  }

  return {
    authenticate,

    /** Starts a session with the rights of an authenticated key. */
    start({ keyId }: Pick<Principal, 'keyId'>): { token: string; expiresAt: Date } {
      const usedAt = nowMs();
      const id = randomBytes(16).toString('base64url');
      const expiresAt = usedAt + SESSION_MS;
      return { token: tokenOf({ id, keyId, expiresAt, usedAt }), expiresAt: new Date(expiresAt) };
    },

    /** Ends a session in every process; does nothing if it has ended, or the token is not that of a session. */
    async end(token: string | undefined): Promise<void> {
      try {
        await authenticate(token);
      } catch (error) {
        if (hasCode(error, 'UNAUTHENTICATED')) return;
        throw error;
      }
      const { id, keyId, expiresAt } = contentOf(token);
      await keys.endSession(keyId, { id, expiresAt: new Date(expiresAt) });
    },

    /**
     * Ends all sessions of the key of a session.
     * @throws EndedSession, AppError `UNAUTHENTICATED` as `authenticate`
     */
    async endAll(token: string | undefined): Promise<void> {
      const { principal } = await authenticate(token);
      await keys.endSessions(principal.keyId);
    },
  };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
