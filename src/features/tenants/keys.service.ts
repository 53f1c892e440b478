import { AppError, invalid } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import type { ApiKeyStore, StoredApiKey } from './api-key.store.ts';
import {
  API_KEY_PATTERN,
  apiKeyPrefix,
  apiKeyState,
  hashApiKey,
  isEndedSession,
  newApiKey,
} from './api-key.ts';
import type { Scope } from './scopes.ts';
import type { TenantStore } from './tenants.store.ts';
import type { ApiKey, Principal, SessionOfKey } from './tenants.types.ts';

interface Deps {
  keys: ApiKeyStore;
  tenants: TenantStore;
  clock: Clock;
}

export interface NewApiKey {
  scope: Scope;
  /** Tenant of a read or write key; null for an admin key. */
  customerId: number | null;
  /** Expiry time; null if the key does not expire. */
  expiresAt: Date | null;
}

export interface KeyLookUp {
  /** Throttles the look-up of a key that is not known to be valid. */
  throttled?: boolean;
  /** Reads the database, so that every revocation acknowledged before the call applies. */
  uncached?: boolean;
}

const toApiKey = (stored: StoredApiKey): ApiKey => {
  const { _id, hash: _hash, endedSessions: _ended, sessionsEndedAt: _endedAt, ...key } = stored;
  return { id: _id.toHexString(), ...key };
};

const KEY_REQUIRED = 'A valid API key is required: Authorization: Bearer <key>.';
const KEY_REFUSALS = { revoked: KEY_REQUIRED, expired: KEY_REQUIRED, unknown: KEY_REQUIRED };
const SESSION_REFUSALS = {
  revoked: 'The API key of this session was revoked.',
  expired: 'The API key of this session has expired.',
  unknown: 'The API key of this session does not exist.',
};

/** The browser's session has ended. This is no attempt to guess one, so it does not count against the client's address. */
export class EndedSession extends AppError {
  constructor(message: string) {
    super('UNAUTHENTICATED', message);
  }
}

export const unauthenticated = () => new AppError('UNAUTHENTICATED', KEY_REQUIRED);

export function keyService({ keys, tenants, clock }: Deps) {
  const cursor = cursorCodec(['apiKeys'], isObjectIdText);
  /** Times of last use by key id, collected for one write. */
  const lastUsed = new Map<string, Date>();

  /**
   * Returns the principal of a key and records its use.
   *
   * @throws AppError `UNAUTHENTICATED` with a message of `refusals` if the key is not active
   */
  async function principalOf(
    stored: StoredApiKey,
    refusals: Readonly<Record<'revoked' | 'expired' | 'unknown', string>>,
  ): Promise<Principal> {
    const now = clock.now();
    const state = apiKeyState(stored, now);
    if (state !== 'active') {
      keys.forget(stored.hash);
      throw new AppError('UNAUTHENTICATED', refusals[state]);
    }
    const tenant = stored.customerId === null ? null : await tenants.find(stored.customerId);
    if (!tenant && stored.scope !== 'admin') throw new AppError('UNAUTHENTICATED', refusals.unknown);
    const keyId = stored._id.toHexString();
    lastUsed.set(keyId, now);
    const { scope, prefix, expiresAt } = stored;
    return { keyId, keyPrefix: prefix, scope, tenant, expiresAt };
  }

  return {
    /**
     * Returns the principal of an `Authorization` header.
     *
     * @throws AppError `UNAUTHENTICATED`, the same for a missing, malformed, unknown, expired or revoked key
     */
    async authenticate(
      authorization: string | undefined,
      { throttled = false }: Pick<KeyLookUp, 'throttled'> = {},
    ): Promise<Principal> {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (!key || !API_KEY_PATTERN.test(key)) throw unauthenticated();
      const hash = hashApiKey(key);
      const stored = await (throttled ? keys.byHashThrottled(hash) : keys.byHash(hash));
      if (stored) return principalOf(stored, KEY_REFUSALS);
      keys.forget(hash);
      throw unauthenticated();
    },

    /**
     * Returns the principal of a console session's key.
     *
     * @throws EndedSession if a sign-out has ended the session; AppError `UNAUTHENTICATED` if the key has expired, was
     *   revoked or does not exist
     */
    async authenticateSession(
      keyId: string,
      session: SessionOfKey,
      { throttled = false, uncached = false }: KeyLookUp,
    ): Promise<Principal> {
      const stored = await (uncached ? keys.byId(keyId) : keys.byIdCached(keyId, { throttled }));
      if (!stored) throw new AppError('UNAUTHENTICATED', SESSION_REFUSALS.unknown);
      if (isEndedSession(stored, session)) throw new EndedSession('The session was ended by a sign-out.');
      return { ...(await principalOf(stored, SESSION_REFUSALS)), session };
    },

    /**
     * Returns true if a principal's key and session are still active. Reads the database, so that every revocation and
     * sign-out acknowledged before the call applies.
     */
    async isActive({ keyId, session }: Pick<Principal, 'keyId' | 'session'>): Promise<boolean> {
      const stored = await keys.byId(keyId);
      if (!stored || (session && isEndedSession(stored, session))) return false;
      return apiKeyState(stored, clock.now()) === 'active';
    },

    /**
     * Creates a key and stores only its hash.
     *
     * @throws AppError `VALIDATION_FAILED` for an expiry time in the past, `NOT_FOUND` if the tenant does not exist
     */
    async create(input: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
      const now = clock.now();
      if (input.expiresAt && input.expiresAt <= now) throw invalid('expiresAt', 'Must be in the future.');
      if (input.customerId !== null) await tenants.get(input.customerId);
      const key = newApiKey(input.scope);
      const stored: StoredApiKey = {
        _id: newObjectId(now),
        hash: hashApiKey(key),
        scope: input.scope,
        customerId: input.customerId,
        prefix: apiKeyPrefix(key),
        createdAt: now,
        expiresAt: input.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      };
      await keys.insert(stored);
      return { apiKey: toApiKey(stored), key };
    },

    /** Returns a key by its id; null if it does not exist. */
    async find(id: string): Promise<ApiKey | null> {
      const stored = isObjectIdText(id) ? await keys.byId(id) : null;
      return stored && toApiKey(stored);
    },

    /** Lists all keys, newest first. */
    async list({ limit, after }: PageRequest): Promise<Page<ApiKey>> {
      const rows = await keys.list({
        before: after === null ? null : cursor.decode(after),
        limit: limit + 1,
      });
      return toPage(rows, limit, (row) => ({
        cursor: cursor.encode(row._id.toHexString()),
        node: toApiKey(row),
      }));
    },

    /**
     * Revokes a key; once this resolves, every process rejects it. A repetition changes nothing.
     *
     * @throws AppError `NOT_FOUND`
     */
    async revoke(id: string): Promise<ApiKey> {
      const revoked = isObjectIdText(id) ? await keys.revoke(id, clock.now()) : null;
      if (!revoked) throw new AppError('NOT_FOUND', `API key ${id} does not exist.`);
      return toApiKey(revoked);
    },

    /** Ends a console session; once this resolves, every process rejects it. */
    endSession: (keyId: string, session: { id: string; expiresAt: Date }): Promise<void> =>
      keys.endSession(keyId, session, clock.now()),

    /** Ends all console sessions of a key; once this resolves, every process rejects them. */
    endSessions: (keyId: string): Promise<void> => keys.endSessions(keyId, clock.now()),

    /** Writes the times of last use since the previous flush. */
    async flushLastUsed(): Promise<void> {
      if (lastUsed.size === 0) return;
      const batch = new Map(lastUsed);
      lastUsed.clear();
      await keys.updateLastUsed(batch);
    },
  };
}

export type KeyService = ReturnType<typeof keyService>;
