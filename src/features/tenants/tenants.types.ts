import type { Scope } from './scopes.ts';

/** One customer of the service; everything stored belongs to exactly one (contract 3). */
export interface Tenant {
  /** Positive integer, unique; `data.customerId` of every webhook. */
  customerId: number;
  /** Unique string; `data.orgId` of every webhook. */
  orgId: string;
  name: string;
  createdAt: Date;
}

/** An API key as it may be shown: everything but the key. */
export interface ApiKey {
  id: string;
  scope: Scope;
  /** The tenant that the key belongs to; null for an admin key, which may act for any. */
  customerId: number | null;
  /** First characters of the key, to recognise it by. */
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Who is calling: a verified key, and its tenant. */
export interface Principal {
  keyId: string;
  scope: Scope;
  /** Null for an admin key. */
  tenant: Tenant | null;
  expiresAt: Date | null;
}
