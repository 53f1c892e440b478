import { AppError, invalid } from '../../errors/app-error.ts';
import type { Address } from '../../platform/address-ranges.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import type { KeyResource } from '../../shared/key-limits.ts';
import { type ApiKeyStore, type KeyUse, LastAdminKey, type SessionUse } from './api-key.store.ts';
import {
  API_KEY_PATTERN,
  apiKeyPrefix,
  apiKeyState,
  hashApiKey,
  isEndedSession,
  isNarrower,
  limitsOf,
  newApiKey,
} from './api-key.ts';
import { permitsClient, storedNetwork } from './client-networks.ts';
import type { Scope } from './scopes.ts';
import { withKeyNames } from './stored-actor.ts';
import type { Suspensions } from './suspensions.ts';
import type { StoredApiKey } from './tenants.model.ts';
import type { TenantStore } from './tenants.store.ts';
import type { ApiKey, KeyCreator, KeyFilter, Principal, SessionOfKey } from './tenants.types.ts';

interface Deps {
  storedKeys: ApiKeyStore;
  tenants: TenantStore;
  suspensions: Pick<Suspensions, 'isSuspended' | 'require' | 'requireNotDeleted'>;
  clock: Clock;
  /** Validity of a key that is created without an expiry time; null if it does not expire. */
  keyExpiryMs: number | null;
  /** Durations before the expiry of a key at which its reminders are due; empty for none. */
  remindersMs: readonly number[];
}

export interface NewApiKey {
  scope: Scope;
  /** Tenant of a read or write key; null for an admin key. */
  customerId: number | null;
  /** Expiry time; null if the key does not expire; undefined for the default of `API_KEY_EXPIRY`. */
  expiresAt?: Date | null | undefined;
  name?: string | null | undefined;
  /** Resources that the key is limited to; null or absent for no limit. */
  resources?: readonly KeyResource[] | null | undefined;
  /** Addresses and CIDR ranges of the clients that may use the key; null or absent for all. */
  networks?: readonly string[] | null | undefined;
  createdBy?: KeyCreator;
}

/** Changes of a key: undefined leaves a property as it is, null removes it. */
export type ApiKeyPatch = Partial<Pick<NewApiKey, 'name' | 'resources' | 'networks' | 'expiresAt'>>;

interface KeyRotation {
  /** Seconds for which the previous key stays valid; 0 ends it at once. */
  overlapSeconds: number;
  createdBy: KeyCreator;
}

/** A new key, which is returned once. */
export interface CreatedKey {
  apiKey: ApiKey;
  key: string;
}

export interface KeyLookUp {
  /** Address of the client, which is stored as the last use; absent or null if it is not known. */
  clientAddress?: Address | null;
  /** Throttles the look-up of a key that is not known to be valid. */
  throttled?: boolean;
  /** Reads the database, so that every revocation acknowledged before the call applies. */
  uncached?: boolean;
  /** Accepts a key of a suspended tenant, whose sessions can be ended. */
  evenSuspended?: boolean;
}

/** Returns networks as they are stored; the boundary has validated them. */
const storedNetworks = (networks: readonly string[]): string[] =>
  networks.map((network) => storedNetwork(network) ?? network);

const noSuchKey = (id: string) => new AppError('NOT_FOUND', `API key ${id} does not exist.`);
const isRevoked = () => new AppError('CONFLICT', 'The API key is revoked; create a new one.');
const isRotated = (successor: string) =>
  new AppError('CONFLICT', `The API key was rotated; rotate its successor ${successor}.`);

/** Selects all keys. */
const ALL_KEYS: KeyFilter = { customerId: null, scope: null, state: null, text: null };

export const ADMIN_RESOURCES = 'Must be absent for the scope admin, which includes all resources.';
export const LAST_ADMIN =
  'This is the last lasting admin key. Create another admin key that is valid for at least 24 hours, or rotate this one.';

/** Names the cause of a refusal to end the last admin key. */
function asConflict(error: unknown): never {
  throw error instanceof LastAdminKey ? new AppError('CONFLICT', LAST_ADMIN) : error;
}

/** Returns when the successor of a key expires: it lasts as long as the key was meant to. */
const successorExpiry = ({ createdAt, expiresAt }: StoredApiKey, now: Date): Date | null =>
  expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());

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

/** The key exists, and has expired or was revoked. */
export class InactiveKey extends AppError {
  readonly stored: StoredApiKey;

  constructor(message: string, stored: StoredApiKey) {
    super('UNAUTHENTICATED', message);
    this.stored = stored;
  }
}

/** What of a principal a key has to permit still. */
export type AuthenticatedKey = Pick<Principal, 'keyId' | 'session' | 'resources' | 'networks'>;

export const unauthenticated = () => new AppError('UNAUTHENTICATED', KEY_REQUIRED);

/** Authenticates and changes API keys. Times of last use stay in memory until the caller writes them (`flushLastUsed`). */
export function keyService({ storedKeys, tenants, suspensions, clock, keyExpiryMs, remindersMs }: Deps) {
  /** Uses by key id, collected for one write. */
  const lastUsed = new Map<string, { at: Date; address: Address }>();
  /** Uses by session id, collected in the same way. */
  const usedSessions = new Map<string, SessionUse>();

  function isExpiringSoon(stored: StoredApiKey, now: Date): boolean {
    const soon = new Date(now.getTime() + Math.max(0, ...remindersMs));
    const { expiresAt, replacedBy } = stored;
    return expiresAt !== null && expiresAt <= soon && !replacedBy && apiKeyState(stored, now) === 'active';
  }

  const toApiKey = (stored: StoredApiKey, now: Date): ApiKey => ({
    id: stored._id.toHexString(),
    name: stored.name ?? null,
    state: apiKeyState(stored, now),
    scope: stored.scope,
    customerId: stored.customerId,
    prefix: stored.prefix,
    ...limitsOf(stored),
    createdAt: stored.createdAt,
    createdBy: stored.createdBy ? withKeyNames(stored.createdBy) : null,
    expiresAt: stored.expiresAt,
    expiresSoon: isExpiringSoon(stored, now),
    lastUsedAt: stored.lastUsedAt,
    lastUsedAddress: stored.lastUsedAddress ?? null,
    revokedAt: stored.revokedAt,
  });

  /** @throws AppError `NOT_FOUND` */
  async function storedKey(id: string): Promise<StoredApiKey> {
    const stored = isObjectIdText(id) ? await storedKeys.byId(id) : null;
    if (!stored) throw noSuchKey(id);
    return stored;
  }

  /** @throws AppError `VALIDATION_FAILED` for an expiry time in the past */
  function checkExpiry(expiresAt: Date | null | undefined): void {
    if (expiresAt && expiresAt <= clock.now()) throw invalid('expiresAt', 'Must be in the future.');
  }

  const defaultExpiry = (): Date | null =>
    keyExpiryMs === null ? null : new Date(clock.now().getTime() + keyExpiryMs);

  /** Returns a new key and what is stored of it. */
  function generate(
    properties: Pick<StoredApiKey, 'scope' | 'customerId' | 'expiresAt'> & Partial<StoredApiKey>,
  ): { stored: StoredApiKey; key: string } {
    const now = clock.now();
    const key = newApiKey(properties.scope);
    const stored: StoredApiKey = {
      ...properties,
      _id: newObjectId(now),
      hash: hashApiKey(key),
      prefix: apiKeyPrefix(key),
      createdAt: now,
      lastUsedAt: null,
      revokedAt: null,
    };
    return { stored, key };
  }

  /**
   * Returns the principal of a key, and records its use by a client that its networks contain.
   *
   * @throws InactiveKey with a message of `refusals` if the key is not active; AppError `CUSTOMER_SUSPENDED`
   */
  async function principalOf(
    stored: StoredApiKey,
    refusals: Readonly<Record<'revoked' | 'expired' | 'unknown', string>>,
    { clientAddress = null, evenSuspended = false }: KeyLookUp,
  ): Promise<Principal> {
    const now = clock.now();
    const state = apiKeyState(stored, now);
    if (state !== 'active') {
      storedKeys.forget(stored.hash);
      throw new InactiveKey(refusals[state], stored);
    }
    const tenant = stored.customerId === null ? null : await tenants.find(stored.customerId);
    if (!tenant && stored.scope !== 'admin') throw new AppError('UNAUTHENTICATED', refusals.unknown);
    if (tenant && !evenSuspended) await suspensions.require(tenant.customerId);
    const keyId = stored._id.toHexString();
    const limits = limitsOf(stored);
    // A use from elsewhere is refused. A second look-up of a request has no address.
    if (clientAddress && permitsClient(limits.networks, clientAddress))
      lastUsed.set(keyId, { at: now, address: clientAddress });
    const { scope, name = null, prefix, expiresAt } = stored;
    return { keyId, keyName: name, keyPrefix: prefix, scope, tenant, expiresAt, ...limits };
  }

  return {
    /**
     * Returns the principal of an `Authorization` header.
     *
     * @throws AppError `UNAUTHENTICATED`, the same for a missing, malformed, unknown, expired or revoked key
     */
    async authenticate(
      authorization: string | undefined,
      lookUp: Omit<KeyLookUp, 'uncached' | 'evenSuspended'> = {},
    ): Promise<Principal> {
      const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (!key || !API_KEY_PATTERN.test(key)) throw unauthenticated();
      const hash = hashApiKey(key);
      const stored = await (lookUp.throttled ? storedKeys.byHashThrottled(hash) : storedKeys.byHash(hash));
      if (stored) return principalOf(stored, KEY_REFUSALS, lookUp);
      storedKeys.forget(hash);
      throw unauthenticated();
    },

    /**
     * Returns the principal of a console session's key.
     *
     * @throws EndedSession if a sign-out has ended the session; AppError `UNAUTHENTICATED` if the key has expired, was
     *   revoked or does not exist
     */
    async authenticateSession(keyId: string, session: SessionOfKey, lookUp: KeyLookUp): Promise<Principal> {
      const { throttled = false, uncached = false } = lookUp;
      const stored = await (uncached ? storedKeys.byId(keyId) : storedKeys.byIdCached(keyId, { throttled }));
      if (!stored) throw new AppError('UNAUTHENTICATED', SESSION_REFUSALS.unknown);
      if (isEndedSession(stored, session)) throw new EndedSession('The session was ended by a sign-out.');
      return { ...(await principalOf(stored, SESSION_REFUSALS, lookUp)), session };
    },

    /**
     * Returns true if a principal's key and session are still active and permit as much, and its tenant is not suspended.
     * Reads the database, so that every revocation, narrowing and sign-out acknowledged before the call applies.
     */
    async isActive(principal: AuthenticatedKey): Promise<boolean> {
      const { keyId, session } = principal;
      const stored = await storedKeys.byId(keyId);
      if (!stored || (session && isEndedSession(stored, session))) return false;
      if (isNarrower(limitsOf(stored), principal)) return false;
      if (stored.customerId !== null && (await suspensions.isSuspended(stored.customerId))) return false;
      return apiKeyState(stored, clock.now()) === 'active';
    },

    /**
     * Creates a key and stores only its hash.
     *
     * @throws AppError `VALIDATION_FAILED` for an expiry time in the past, `NOT_FOUND` if the tenant does not exist,
     *   `CUSTOMER_SUSPENDED` if it is being deleted
     */
    async create(input: NewApiKey): Promise<CreatedKey> {
      const { scope, customerId, name, resources, networks, createdBy } = input;
      checkExpiry(input.expiresAt);
      if (customerId !== null) {
        await tenants.get(customerId);
        await suspensions.requireNotDeleted(customerId);
      }
      const { stored, key } = generate({
        ...{
          scope,
          customerId,
          expiresAt: input.expiresAt === undefined ? defaultExpiry() : input.expiresAt,
        },
        ...(name && { name }),
        ...(resources && { resources: [...resources] }),
        ...(networks && { networks: storedNetworks(networks) }),
        ...(createdBy && { createdBy }),
      });
      await storedKeys.insert(stored);
      return { apiKey: toApiKey(stored, clock.now()), key };
    },

    /** Returns a key by its id; null if it does not exist. */
    async find(id: string): Promise<ApiKey | null> {
      const stored = isObjectIdText(id) ? await storedKeys.byId(id) : null;
      return stored && toApiKey(stored, clock.now());
    },

    /** @throws AppError `NOT_FOUND` */
    get: async (id: string): Promise<ApiKey> => toApiKey(await storedKey(id), clock.now()),

    /** Lists the keys that a filter selects, newest first; all of them by default. */
    list(page: PageRequest, filter: KeyFilter = ALL_KEYS): Promise<Page<ApiKey>> {
      const now = clock.now();
      const { customerId, scope, state, text } = filter;
      return readPage(page, {
        cursor: cursorCodec(['apiKeys', customerId, scope, state, text], isObjectIdText),
        read: (before, limit) => storedKeys.list(filter, now, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: (row) => toApiKey(row, now),
      });
    },

    /**
     * Changes a key; once this resolves, the change applies in every process. A key that permits less than before ends its
     * console sessions and subscriptions.
     *
     * @throws AppError `NOT_FOUND`; `CONFLICT` if it is revoked, or if this is an admin key that now expires earlier, within a
     *   day, and no other one lasts; `VALIDATION_FAILED` for an expiry time in the past, or resources of an admin key
     */
    async update(id: string, patch: ApiKeyPatch): Promise<ApiKey> {
      const now = clock.now();
      checkExpiry(patch.expiresAt);
      const stored = await storedKey(id);
      if (stored.revokedAt) throw isRevoked();
      if (stored.scope === 'admin' && patch.resources) throw invalid('resources', ADMIN_RESOURCES);
      const networks = patch.networks && storedNetworks(patch.networks);
      const expiresAt = patch.expiresAt === undefined ? stored.expiresAt : patch.expiresAt;
      const isRescheduled = expiresAt?.getTime() !== stored.expiresAt?.getTime();
      const narrowed = isNarrower(
        {
          resources: patch.resources === undefined ? (stored.resources ?? null) : patch.resources,
          networks: networks === undefined ? (stored.networks ?? null) : networks,
        },
        limitsOf(stored),
      );
      const change = {
        ...(patch.name !== undefined && { name: patch.name ?? undefined }),
        ...(patch.resources !== undefined && {
          resources: patch.resources ? [...patch.resources] : undefined,
        }),
        ...(networks !== undefined && { networks: networks ?? undefined }),
        // The reminders of the new time are due as if there had been none.
        ...(isRescheduled && { expiresAt, remindedAt: undefined }),
        ...(narrowed && { sessionsEndedAt: now, endedSessions: undefined }),
      };
      const updated = await storedKeys.update(stored, change, now).catch(asConflict);
      if (!updated) throw isRevoked();
      return toApiKey(updated, now);
    },

    /**
     * Replaces a key by a new one with the same properties; once this resolves, every process accepts the new one, and the
     * previous one until the overlap has ended.
     *
     * @throws AppError `NOT_FOUND`; `CONFLICT` if it is revoked, has expired or was rotated, or changes meanwhile
     */
    async rotate(id: string, { overlapSeconds, createdBy }: KeyRotation): Promise<CreatedKey> {
      const now = clock.now();
      const previous = await storedKey(id);
      if (apiKeyState(previous, now) !== 'active')
        throw new AppError('CONFLICT', 'The API key is revoked or has expired; create a new one.');
      if (previous.replacedBy) throw isRotated(previous.replacedBy.toHexString());
      const { scope, customerId, name, resources, networks } = previous;
      const expiresAt = successorExpiry(previous, now);
      const { stored, key } = generate({
        ...{ scope, customerId, expiresAt, createdBy },
        ...(name !== undefined && { name }),
        ...(resources && { resources }),
        ...(networks && { networks }),
      });
      const overlapEnd = new Date(now.getTime() + overlapSeconds * 1000);
      const isSooner = previous.expiresAt !== null && previous.expiresAt < overlapEnd;
      const end =
        overlapSeconds === 0 ? { revokedAt: now } : { expiresAt: isSooner ? previous.expiresAt : overlapEnd };
      if (!(await storedKeys.replace(previous, stored, end)))
        throw new AppError('CONFLICT', 'Conflicting concurrent updates; retry the request.');
      return { apiKey: toApiKey(stored, now), key };
    },

    /**
     * Revokes a key; once this resolves, every process rejects it. A repetition changes nothing.
     *
     * @throws AppError `NOT_FOUND`; `CONFLICT` if no other admin key lasts (`LastAdminKey`)
     */
    async revoke(id: string): Promise<ApiKey> {
      const stored = await storedKey(id);
      const now = clock.now();
      if (stored.revokedAt && (await storedKeys.confirmRevocation(stored))) return toApiKey(stored, now);
      return toApiKey((await storedKeys.revoke(stored, now).catch(asConflict)) ?? stored, now);
    },

    /** Records a use of a session, for the list of sessions. */
    useSession: (keyId: string, sessionId: string): void => {
      usedSessions.set(sessionId, { keyId, at: clock.now() });
    },

    /** Writes the times of last use since the previous flush. The use of a session is one of its key. */
    async flushLastUsed(): Promise<void> {
      if (lastUsed.size === 0) return;
      const batch = new Map<string, KeyUse>();
      for (const [id, { at, address }] of lastUsed) batch.set(id, { at, address: String(address) });
      const sessions = new Map(usedSessions);
      await storedKeys.updateLastUsed(batch, sessions);
      for (const [id, { at }] of batch) if (lastUsed.get(id)?.at === at) lastUsed.delete(id);
      for (const [id, { at }] of sessions) if (usedSessions.get(id)?.at === at) usedSessions.delete(id);
    },
  };
}

export type KeyService = ReturnType<typeof keyService>;
