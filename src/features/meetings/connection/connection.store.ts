import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { change, type Write } from '../../../platform/commit/unit-of-work.ts';
import { coalesced, THROTTLED_LOOK_UP } from '../../../platform/mongo/coalesced.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ConnectionStatus } from '../meetings.types.ts';
import type { ConnectionDoc } from './connection.model.ts';

/** Changes that the end of a sync makes to its connection. */
export interface ConnectionOutcome {
  status: ConnectionStatus;
  /** Absent after a failure and after a sync of a chosen time range. */
  lastSyncAt?: Date;
  /** Absent unless the sync compared the stored meetings with the provider's. */
  lastComparedAt?: Date;
  /** Absent to keep the time that was planned at the start of the sync. */
  nextSyncAt?: Date | null;
}

const ENCRYPTED_FIELDS = ['encryptedApiKey', 'encryptedHookSecret'] as const;

/** A secret of a connection. */
interface EncryptedSecret extends TenantRef {
  field: (typeof ENCRYPTED_FIELDS)[number];
  ciphertext: string;
}

/** Webhook tokens remembered as known, whose look-up is not throttled. */
const MAX_KNOWN_TOKENS = 10_000;

/** Creates the look-up of connections by webhook token. It remembers which tokens exist, but caches no connection. */
function hookTokenLookUp({ ProviderConnection }: { ProviderConnection: Model<ConnectionDoc> }) {
  async function find(tokens: readonly string[]): Promise<(ConnectionDoc | null)[]> {
    const found = await ProviderConnection.find({ hookToken: { $in: [...new Set(tokens)] } }).lean<
      ConnectionDoc[]
    >();
    const index = new Map(found.map((connection) => [connection.hookToken, connection]));
    return tokens.map((token) => index.get(token) ?? null);
  }
  const lookUp = coalesced(find);
  const lookUpThrottled = coalesced(find, THROTTLED_LOOK_UP);
  const known = new LRUCache<string, true>({ max: MAX_KNOWN_TOKENS });

  return async (token: string, { throttled }: { throttled: boolean }): Promise<ConnectionDoc | null> => {
    const connection = await (throttled && !known.has(token) ? lookUpThrottled(token) : lookUp(token));
    if (connection) known.set(token, true);
    else known.delete(token);
    return connection;
  };
}

export const connectionStore = ({ ProviderConnection }: { ProviderConnection: Model<ConnectionDoc> }) => ({
  find: ({ customerId }: TenantRef) => ProviderConnection.findById(customerId).lean<ConnectionDoc>(),

  /** Returns the connection of a token. If throttled, unknown tokens share at most ten queries per second. */
  findByHookToken: hookTokenLookUp({ ProviderConnection }),

  /** Creates the connection or replaces its key; `lastSyncAt` and the webhook are kept. */
  save: (
    { customerId }: TenantRef,
    connection: Pick<ConnectionDoc, 'generation' | 'encryptedApiKey' | 'connectedAt' | 'nextSyncAt'>,
    hookToken: string,
  ) =>
    ProviderConnection.findOneAndUpdate(
      { _id: customerId },
      {
        $set: { ...connection, status: 'connected' },
        $currentDate: { listedSince: true },
        $setOnInsert: { lastSyncAt: null, hookToken },
      },
      { upsert: true, returnDocument: 'after' },
    ).lean<ConnectionDoc>(),

  /** Changes the webhook of the connection; a null secret is removed. Returns null when there is no connection. */
  setHook: (
    { customerId }: TenantRef,
    changes: Pick<ConnectionDoc, 'hookToken'> | { encryptedHookSecret: string | null },
  ) =>
    ProviderConnection.findOneAndUpdate(
      { _id: customerId },
      'encryptedHookSecret' in changes && changes.encryptedHookSecret === null
        ? { $unset: { encryptedHookSecret: '' } }
        : { $set: changes },
      { returnDocument: 'after' },
    ).lean<ConnectionDoc>(),

  /** Returns false when there was no connection. */
  remove: async ({ customerId }: TenantRef): Promise<boolean> =>
    (await ProviderConnection.deleteOne({ _id: customerId })).deletedCount === 1,

  /** Changes the connection of this generation; does nothing when the key was replaced meanwhile. */
  update: ({ customerId }: TenantRef, generation: string, changes: Pick<ConnectionDoc, 'nextSyncAt'>) =>
    ProviderConnection.updateOne({ _id: customerId, generation }, { $set: changes }),

  /** Write of the change that the end of a sync makes to the connection of this generation. */
  outcome: ({ customerId }: TenantRef, generation: string, changes: ConnectionOutcome): Write =>
    change(ProviderConnection, { _id: customerId, generation }, { $set: changes }),

  /** Returns connections, of all tenants but some, whose sync is due or was never planned. */
  due: (now: Date, { limit, except }: { limit: number; except: readonly number[] }) =>
    ProviderConnection.find({
      ...(except.length > 0 && { _id: { $nin: [...except] } }),
      status: { $in: ['connected', 'failing'] },
      nextSyncAt: { $not: { $gt: now } },
    })
      .limit(limit)
      .lean<ConnectionDoc[]>(),

  /** @param readable matches ciphertexts that a configured key decrypts */
  hasSecretUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
    (await ProviderConnection.exists({
      $or: [
        { encryptedApiKey: { $not: readable } },
        { encryptedHookSecret: { $exists: true, $not: readable } },
      ],
    })) !== null,

  /** Streams the encrypted secrets of all tenants, for operator commands. */
  async *secrets(): AsyncGenerator<EncryptedSecret> {
    for await (const connection of ProviderConnection.find().sort({ _id: 1 }).lean<ConnectionDoc>().cursor())
      for (const field of ENCRYPTED_FIELDS) {
        const ciphertext = connection[field];
        if (ciphertext !== undefined) yield { customerId: connection._id, field, ciphertext };
      }
  },

  /** Stores a re-encrypted secret; returns false when the secret was replaced meanwhile. */
  replaceEncrypted: async (
    { customerId }: TenantRef,
    field: EncryptedSecret['field'],
    { from, to }: { from: string; to: string },
  ): Promise<boolean> => {
    const { modifiedCount } = await ProviderConnection.updateOne(
      { _id: customerId, [field]: from },
      { $set: { [field]: to } },
    );
    return modifiedCount === 1;
  },
});

export type ConnectionStore = ReturnType<typeof connectionStore>;
