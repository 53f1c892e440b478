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

/** An API key's metadata, without the key. */
export interface ApiKey {
  id: string;
  scope: Scope;
  /** Tenant of the key; null for an admin key, which may act for any tenant. */
  customerId: number | null;
  /** Start of the key, which identifies it in lists. */
  prefix: string;
  createdAt: Date;
  /** Null if the key does not expire. */
  expiresAt: Date | null;
  /** Accurate to half a minute; null if the key has not been used. */
  lastUsedAt: Date | null;
  /** Null if the key is not revoked. */
  revokedAt: Date | null;
}

/** A console session of an API key. */
export interface SessionOfKey {
  id: string;
  startedAt: Date;
}

/** The verified API key of a request, and its tenant. */
export interface Principal {
  keyId: string;
  /** Start of the key, which identifies it in lists and in the audit log. */
  keyPrefix: string;
  scope: Scope;
  /** Null for an admin key. */
  tenant: Tenant | null;
  /** Null if the key does not expire. */
  expiresAt: Date | null;
  /** The session that names the key; absent if the request has the key itself. */
  session?: SessionOfKey;
}
