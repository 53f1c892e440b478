import { randomBytes } from 'node:crypto';
import { AppError, hasCode } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiKeyStore } from './api-key.store.ts';
import { isEndedSession } from './api-key.ts';
import { EndedSession, type KeyLookUp, type KeyService } from './keys.service.ts';
import type { StartedSessionDoc } from './tenants.model.ts';
import type { Principal } from './tenants.types.ts';

/** Use does not extend the lifetime of a session. */
const SESSION_HOURS = 12;
const SESSION_MS = SESSION_HOURS * 3_600_000;
/** A session ends after this time without use. */
const IDLE_MINUTES = 30;
const IDLE_MS = IDLE_MINUTES * 60_000;
/** A used token is replaced at this age, which is the accuracy of the time without use. */
const RENEWAL_MS = 60_000;
/** Longest time from a stored use to a later one that is not stored: until the token is replaced, and the use is written. */
const USE_ACCURACY_MS = RENEWAL_MS + 60_000;

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
  storedKeys: Pick<ApiKeyStore, 'addSession' | 'byId' | 'endSession' | 'endSessions' | 'sessions'>;
  keys: Pick<KeyService, 'authenticateSession' | 'useSession'>;
  clock: Clock;
}

export interface AuthenticatedSession {
  principal: Principal;
  /** Returns the time left until the session ends without further use. Milliseconds. */
  leftMs(): number;
  /** Returns a token that records this use; null while the request's token is recent enough. */
  renewedToken(): string | null;
}

/** A session of a key, as its holder sees it. */
export interface ConsoleSession {
  id: string;
  startedAt: Date;
  /** To within two minutes. */
  lastUsedAt: Date;
  expiresAt: Date;
  /** Client address of the sign-in; null if it is not known. */
  address: string | null;
  /** True for the session of the request. */
  isCurrent: boolean;
}

type SessionHolder = Pick<Principal, 'keyId' | 'session'>;

/**
 * Console sign-in. A session is an encrypted token that every process with the encryption key accepts. Only sessions that
 * a sign-out has ended are stored until they expire, with their API key, which each request reads anyway; the latest ones
 * are stored there as well, for their list. The token contains the time of the last use and is replaced from time to
 * time. Only the holder of a session learns from an error why it has ended.
 */
export function createConsoleSessions({ cipher, storedKeys, keys, clock }: SessionsDeps) {
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
      renewedToken() {
        if (nowMs() - usedAt < RENEWAL_MS) return null;
        keys.useSession(keyId, id);
        return tokenOf({ ...content, usedAt: nowMs() });
      },
    };
  }

  /** Returns the latest sessions of a key that have not ended, newest first. */
  async function list({ keyId, session }: SessionHolder): Promise<ConsoleSession[]> {
    const [key, stored] = await Promise.all([storedKeys.byId(keyId), storedKeys.sessions(keyId)]);
    if (!key) return [];
    const isOpen = (one: StartedSessionDoc) =>
      !isEndedSession(key, one) &&
      one.expiresAt.getTime() > nowMs() &&
      one.usedAt.getTime() + IDLE_MS + USE_ACCURACY_MS > nowMs();
    return stored
      .filter(isOpen)
      .reverse()
      .map(({ id, startedAt, usedAt: lastUsedAt, expiresAt, address }) => ({
        ...{ id, startedAt, lastUsedAt, expiresAt, address },
        isCurrent: id === session?.id,
      }));
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

    /** Signs in: starts a session with the rights of an authenticated key. @param address of the client */
    async start(
      { keyId }: Pick<Principal, 'keyId'>,
      address: string | null,
    ): Promise<{ id: string; token: string; expiresAt: Date }> {
      const usedAt = nowMs();
      const startedAt = new Date(usedAt);
      const id = randomBytes(16).toString('base64url');
      const expiresAt = new Date(usedAt + SESSION_MS);
      await storedKeys.addSession(keyId, { id, startedAt, usedAt: startedAt, expiresAt, address });
      return { id, token: tokenOf({ id, keyId, expiresAt: expiresAt.getTime(), usedAt }), expiresAt };
    },

    list,

    /** Ends one session of the caller's key in every process, and returns it. @throws AppError `NOT_FOUND` */
    async endOne(holder: SessionHolder, id: string): Promise<ConsoleSession> {
      const session = (await list(holder)).find((one) => one.id === id);
      if (!session) throw new AppError('NOT_FOUND', `The API key has no open session ${id}.`);
      await storedKeys.endSession(holder.keyId, { id, expiresAt: session.expiresAt }, clock.now());
      return session;
    },

    /**
     * Signs out: ends a session in every process, also one of a suspended tenant. Does nothing if it has ended, or if the
     * token is not valid.
     */
    async end(token: string | undefined): Promise<void> {
      try {
        const content = contentOf(token);
        await authenticateContent(content, { evenSuspended: true });
        const { id, keyId, expiresAt } = content;
        await storedKeys.endSession(keyId, { id, expiresAt: new Date(expiresAt) }, clock.now());
      } catch (error) {
        if (!hasCode(error, 'UNAUTHENTICATED')) throw error;
      }
    },

    /** Ends all sessions of a key in every process. */
    endAll: async ({ keyId }: Pick<Principal, 'keyId'>): Promise<void> =>
      storedKeys.endSessions(keyId, clock.now()),
  };
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;
