import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { KEY_RESOURCES, type KeyResource } from '../../shared/key-limits.ts';
import { SCOPES, type Scope } from './scopes.ts';
import type { StoredActor } from './stored-actor.ts';
import type { KeyCreator } from './tenants.types.ts';

/** State of a tenant whose documents are being removed. */
export interface DeletionState {
  startedAt: Date;
  /** Since when no delivery of the tenant begins an attempt; absent while its open deliveries are finished. */
  removingSince?: Date;
}

export interface TenantDoc {
  customerId: number;
  orgId: string;
  name: string;
  verifyEndpoints?: boolean;
  /** Absent unless the tenant is suspended, or being deleted. */
  suspendedAt?: Date;
  /** Absent unless the tenant is being deleted. */
  deletion?: DeletionState;
  createdAt: Date;
}

const tenantSchema = new Schema<TenantDoc>(
  {
    customerId: { type: Number, required: true },
    orgId: { type: String, required: true },
    name: { type: String, required: true },
    verifyEndpoints: { type: Boolean },
    suspendedAt: { type: Date },
    deletion: { _id: false, type: { _id: false, startedAt: Date, removingSince: Date } },
    createdAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'tenants' },
);
tenantSchema.index({ customerId: 1 }, { unique: true });
tenantSchema.index({ orgId: 1 }, { unique: true });
tenantSchema.index({ suspendedAt: 1 }, { partialFilterExpression: { suspendedAt: { $exists: true } } });

export const tenantModel = (connection: Connection): Model<TenantDoc> =>
  connection.model<TenantDoc>('Tenant', tenantSchema);

export interface ApiKeyDoc {
  /** SHA-256 of the key in hexadecimal; the key itself is not stored. */
  hash: string;
  scope: Scope;
  customerId: number | null;
  prefix: string;
  /** Absent if the key has no name. */
  name?: string;
  /** Absent for a key of an earlier version. */
  createdBy?: StoredActor<KeyCreator>;
  /** Absent if the key is not limited to resources. */
  resources?: KeyResource[];
  /** Addresses and CIDR ranges of the clients that may use the key; absent if all may. */
  networks?: string[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** Client address of the last use; absent if the key has not been used. */
  lastUsedAddress?: string;
  revokedAt: Date | null;
  /** Successor; absent if the key was not rotated. */
  replacedBy?: Types.ObjectId;
  /** Last time at which another admin key ended that relied on this one; the write makes concurrent ones conflict. */
  reliedOnAt?: Date;
  /** Time of the latest reminder that the key expires; absent if there was none. */
  remindedAt?: Date;
  /** Latest console sessions, oldest first, for their list; authentication does not read them. Absent without any. */
  sessions?: StartedSessionDoc[];
  /** Console sessions ended before their expiry; absent if there is none. */
  endedSessions?: EndedSessionDoc[];
  /** Console sessions that started up to this time have ended; absent if a client never ended all sessions. */
  sessionsEndedAt?: Date;
}

export type StoredApiKey = ApiKeyDoc & { _id: Types.ObjectId };

export interface StartedSessionDoc {
  id: string;
  startedAt: Date;
  /** Latest use, to within the time after which a token is replaced. */
  usedAt: Date;
  expiresAt: Date;
  /** Client address of the sign-in; null if its connection had ended. */
  address: string | null;
}

export interface EndedSessionDoc {
  id: string;
  /** After its expiry, the session no longer needs to be stored. */
  expiresAt: Date;
}

const apiKeySchema = new Schema<ApiKeyDoc>(
  {
    hash: { type: String, required: true },
    scope: { type: String, enum: SCOPES, required: true },
    customerId: { type: Number, default: null },
    prefix: { type: String, required: true },
    name: { type: String },
    createdBy: { _id: false, type: { type: String }, id: String, name: String, prefix: String },
    resources: { type: [{ type: String, enum: KEY_RESOURCES }], default: undefined },
    networks: { type: [String], default: undefined },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
    lastUsedAddress: { type: String },
    revokedAt: { type: Date, default: null },
    replacedBy: { type: Schema.Types.ObjectId },
    reliedOnAt: { type: Date },
    remindedAt: { type: Date },
    sessions: {
      type: [{ _id: false, id: String, startedAt: Date, usedAt: Date, expiresAt: Date, address: String }],
      default: undefined,
    },
    endedSessions: { type: [{ _id: false, id: String, expiresAt: Date }], default: undefined },
    sessionsEndedAt: Date,
  },
  { ...STRICT, collection: 'apiKeys' },
);
apiKeySchema.index({ hash: 1 }, { unique: true });
apiKeySchema.index({ customerId: 1, _id: -1 });
apiKeySchema.index({ expiresAt: 1 });

export const apiKeyModel = (connection: Connection): Model<ApiKeyDoc> =>
  connection.model<ApiKeyDoc>('ApiKey', apiKeySchema);
