import { randomBytes } from 'node:crypto';
import { AppError, hasCode } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import { EndedSession, type KeyLookUp, type KeyService } from './keys.service.ts';
import type { Principal } from './tenants.types.ts';

/** Use does not extend the lifetime of a session. */
const SESSION_HOURS = 12;
const SESSION_MS = SESSION_HOURS * 3_600_000;
/** A session ends after this time without use. */
const IDLE_MINUTES = 30;
const IDLE_MS = IDLE_MINUTES * 60_000;
/** A used token is replaced at this age, which is the accuracy of the time without use. */
const RENEWAL_MS = 60_000;

/** Binds the encryption, so that no other ciphertext of the service is valid as a session. */
const OWNER = 'console-session';

/** Content of a token: it names its API key, but the key cannot be derived from it. Times in Unix milliseconds. */
interface SessionContent {
  id: string;
  keyId: string;
  expiresAt: number;
  /** Last recorded use. */
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
  /** Returns a token that records this use; null while the request's token is recent enough. */
  renewedToken(): string | null;
}

/**
 * Console sign-in. A session is an encrypted token that every process with the encryption key accepts. Only sessions that
 * a sign-out has ended are stored until they expire, with their API key, which each request reads anyway. The token
 * contains the time of the last use and is replaced from time to time. Only the holder of a session learns from an error
 * why it has ended.
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

  /** @throws EndedSession, AppError `UNAUTHENTICATED` */
  async function authenticateContent(
    content: SessionContent,
    lookUp: KeyLookUp = {},
  ): Promise<AuthenticatedSession> {
    const { id, keyId, expiresAt, usedAt } = content;
    if (expiresAt <= nowMs())
      throw new EndedSession(`The session has expired: a session lasts ${SESSION_HOURS} hours.`);
    // False also for a token of an earlier version, which has no `usedAt`.
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
    /**
     * Authenticates a session.
     *
     * @param token undefined if the browser has none
     * @throws EndedSession if there is no token, or the session was ended or has expired; AppError `UNAUTHENTICATED` if
     *   the token is not valid, or the key is not active
     */
    authenticate: async (token: string | undefined, lookUp?: KeyLookUp): Promise<AuthenticatedSession> =>
      authenticateContent(contentOf(token), lookUp),

    /** Signs in: starts a session with the rights of an authenticated key. */
    start({ keyId }: Pick<Principal, 'keyId'>): { id: string; token: string; expiresAt: Date } {
      const usedAt = nowMs();
      const id = randomBytes(16).toString('base64url');
      const expiresAt = usedAt + SESSION_MS;
      return { id, token: tokenOf({ id, keyId, expiresAt, usedAt }), expiresAt: new Date(expiresAt) };
    },

    /** Signs out: ends a session in every process. Does nothing if it has ended, or if the token is not valid. */
    async end(token: string | undefined): Promise<void> {
      try {
        const content = contentOf(token);
        await authenticateContent(content);
        const { id, keyId, expiresAt } = content;
        await keys.endSession(keyId, { id, expiresAt: new Date(expiresAt) });
      } catch (error) {
        if (!hasCode(error, 'UNAUTHENTICATED')) throw error;
      }
    },

    /**
     * Ends all sessions of a session's key.
     *
     * @throws EndedSession, AppError `UNAUTHENTICATED` as `authenticate`
     */
    async endAll(token: string | undefined): Promise<void> {
      const { principal } = await authenticateContent(contentOf(token));
      await keys.endSessions(principal.keyId);
    },
  };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
