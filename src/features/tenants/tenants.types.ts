import type { KeyResource, KeyState } from '../../shared/key-limits.ts';
import type { Scope } from './scopes.ts';

/** A customer of the service; every stored object belongs to exactly one tenant (contract 3). */
export interface Tenant {
  /** Positive integer, unique; `data.customerId` of every webhook. */
  customerId: number;
  /** Unique string; `data.orgId` of every webhook. */
  orgId: string;
  name: string;
  /** True if new URLs of its webhook endpoints are verified; absent for tenants without verification. */
  verifyEndpoints?: boolean;
  createdAt: Date;
}

/** Returns a tenant, also one that is being deleted: for work in the background. @throws AppError `NOT_FOUND` */
export type GetTenant = (customerId: number) => Promise<Tenant>;

/** Who created a key, as the audit log names actors. */
export interface KeyCreator {
  type: 'key' | 'session' | 'cli';
  id: string;
  /** Name of the API key; null if it has none, and for an operator. */
  name: string | null;
  /** First characters of the API key; null for an operator. */
  prefix: string | null;
}

/** An API key's metadata, without the key. */
export interface ApiKey {
  id: string;
  /** Null if the key has no name. */
  name: string | null;
  state: KeyState;
  scope: Scope;
  /** Tenant of the key; null for an admin key, which may act for any tenant. */
  customerId: number | null;
  /** Start of the key, which identifies it in lists. */
  prefix: string;
  /** Resources that the key is limited to; null if it is not limited. */
  resources: readonly KeyResource[] | null;
  /** Addresses and CIDR ranges of the clients that may use the key; null if all may. */
  networks: readonly string[] | null;
  createdAt: Date;
  /** Null for a key of an earlier version, and for demo keys. */
  createdBy: KeyCreator | null;
  /** Null if the key does not expire. */
  expiresAt: Date | null;
  /** True if the key is active, was not rotated, and expires within the longest period of `API_KEY_REMINDERS`. */
  expiresSoon: boolean;
  /** Accurate to half a minute; null if the key has not been used. */
  lastUsedAt: Date | null;
  /** Client address of the last use; null if the key has not been used. */
  lastUsedAddress: string | null;
  /** Null if the key is not revoked. */
  revokedAt: Date | null;
}

/** Which keys a list returns; null for all. */
export interface KeyFilter {
  customerId: number | null;
  scope: Scope | null;
  state: KeyState | null;
  /** Text that the name or the first characters of the key contain, in upper or lower case. */
  text: string | null;
}

/** A console session of an API key. */
export interface SessionOfKey {
  id: string;
  startedAt: Date;
}

/** The verified API key of a request, and its tenant. */
export interface Principal {
  keyId: string;
  /** Null if the key has no name. */
  keyName: string | null;
  /** Start of the key, which identifies it in lists and in the audit log. */
  keyPrefix: string;
  scope: Scope;
  /** Null for an admin key. */
  tenant: Tenant | null;
  /** Resources that the key is limited to; null if it is not limited. */
  resources: readonly KeyResource[] | null;
  /** Networks of the clients that may use the key; null if all may. */
  networks: readonly string[] | null;
  /** Null if the key does not expire. */
  expiresAt: Date | null;
  /** The session that names the key; absent if the request has the key itself. */
  session?: SessionOfKey;
}
