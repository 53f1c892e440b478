import { AppError, invalid } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import type { ApiKeyStore, StoredApiKey } from './api-key.store.ts';
import { API_KEY_PATTERN, apiKeyPrefix, hashApiKey, newApiKey } from './api-key.ts';
import { apiKeyState, isEndedSession } from './api-key-state.ts';
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
  /** Throttles the look-up of a key that is not known to be valid: it may take longer. */
  throttled?: boolean;
  /** Reads the database: no revocation was acknowledged before the call. */
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

/** Failed authentication of a browser whose session has ended: not an attempt to guess one, so it is no failure of its address. */
export class EndedSession extends AppError {
  constructor(message: string) {
    super('UNAUTHENTICATED', message);
  }
}

export const unauthenticated = () => new AppError('UNAUTHENTICATED', KEY_REQUIRED);

export function keyService({ keys, tenants, clock }: Deps) {
  const cursor = cursorCodec(['apiKeys'], isObjectIdText);
  /** Times of last use that are not yet written: one write serves many requests. */
  const lastUsed = new Map<string, Date>();

  /**
   * Returns the principal of a key, which counts as a use of it.
   * @throws AppError `UNAUTHENTICATED` with the message of `refusals` if the key is not active
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
    return { keyId, scope: stored.scope, tenant, expiresAt: stored.expiresAt };
  }

  return {
    /**
     * Returns the principal of an `Authorization` header.
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
     * Returns the principal of the key that a console session names.
     * @throws EndedSession if the session was ended; AppError `UNAUTHENTICATED` with the reason: the key has expired, was
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
     * Returns whether a key, or the session that names it, is still active. Reads the database: true means that no
     * revocation and no sign-out was acknowledged before the call.
     */
    async isActive({ keyId, session }: Pick<Principal, 'keyId' | 'session'>): Promise<boolean> {
      const stored = await keys.byId(keyId);
      if (!stored || (session && isEndedSession(stored, session))) return false;
      return apiKeyState(stored, clock.now()) === 'active';
    },

    /**
     * Creates a key, of which only a hash is stored.
     *
     * @throws AppError `VALIDATION_FAILED` for an expiry time in the past, `NOT_FOUND` if the customer does not exist
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
     * Revokes a key; once this returns, every process rejects it. A revoked key stays unchanged.
     *
     * @throws AppError `NOT_FOUND`
     */
    async revoke(id: string): Promise<ApiKey> {
      const revoked = isObjectIdText(id) ? await keys.revoke(id, clock.now()) : null;
      if (!revoked) throw new AppError('NOT_FOUND', `API key ${id} does not exist.`);
      return toApiKey(revoked);
    },

    /** Ends a console session before its expiry; once this returns, every process rejects it. */
    endSession: (keyId: string, session: { id: string; expiresAt: Date }): Promise<void> =>
      keys.endSession(keyId, session, clock.now()),

    /** Ends all console sessions of a key; once this returns, every process rejects them. */
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
