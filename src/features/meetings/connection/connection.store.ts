import type { Model } from 'mongoose';
import type { ConnectionStatus, FieldMapping, Owner } from '../meetings.types.ts';
import type { ConnectionDoc, MappingDoc } from './connection.model.ts';

interface Models {
  RecorderConnection: Model<ConnectionDoc>;
  RecorderMapping: Model<MappingDoc>;
}

/** What a sync's end changes. */
interface Outcome {
  status: ConnectionStatus;
  /** Of a success only. */
  lastSyncAt?: Date;
  /** When it is not as it was planned at the start. */
  nextSyncAt?: Date | null;
}

export function connectionStore({ RecorderConnection, RecorderMapping }: Models) {
  return {
    find: ({ customerId }: Owner) => RecorderConnection.findById(customerId).lean<ConnectionDoc>(),

    /** Makes the connection or replaces its key; what was synced before stays known. */
    save: (
      { customerId }: Owner,
      connection: Pick<ConnectionDoc, 'generation' | 'encryptedApiKey' | 'connectedAt' | 'nextSyncAt'>,
    ) =>
      RecorderConnection.findOneAndUpdate(
        { _id: customerId },
        { $set: { ...connection, status: 'connected' }, $setOnInsert: { lastSyncAt: null } },
        { upsert: true, returnDocument: 'after' },
      ).lean<ConnectionDoc>(),

    /** Says whether there was one. */
    remove: async ({ customerId }: Owner): Promise<boolean> =>
      (await RecorderConnection.deleteOne({ _id: customerId })).deletedCount === 1,

    /** Nothing happens when the key was replaced meanwhile. */
    plan: ({ customerId }: Owner, generation: string, nextSyncAt: Date | null) =>
      RecorderConnection.updateOne({ _id: customerId, generation }, { $set: { nextSyncAt } }),

    /** Writes down how a sync has ended; nothing happens when the key was replaced meanwhile. */
    note: ({ customerId }: Owner, generation: string, outcome: Outcome) =>
      RecorderConnection.updateOne({ _id: customerId, generation }, { $set: outcome }),

    /** Connections of all tenants whose sync is due, or was never planned. */
    due: (now: Date, limit: number) =>
      RecorderConnection.find({
        status: { $in: ['connected', 'failing'] },
        nextSyncAt: { $not: { $gt: now } },
      })
        .limit(limit)
        .lean<ConnectionDoc[]>(),

    /** Every connection there is, in batches, for operators' commands that concern all tenants. */
    all: () => RecorderConnection.find().sort({ _id: 1 }).lean<ConnectionDoc>().cursor(),

    /** Replaces a sealed key by the same one sealed anew; nothing happens when it was replaced meanwhile. */
    reseal: async ({ customerId }: Owner, from: string, to: string): Promise<boolean> => {
      const { modifiedCount } = await RecorderConnection.updateOne(
        { _id: customerId, encryptedApiKey: from },
        { $set: { encryptedApiKey: to } },
      );
      return modifiedCount === 1;
    },

    /** Null: the tenant has none of its own. */
    mapping: async ({ customerId }: Owner): Promise<FieldMapping[] | null> =>
      (await RecorderMapping.findById(customerId).lean<MappingDoc>())?.mappings ?? null,

    saveMapping: ({ customerId }: Owner, mappings: FieldMapping[]) =>
      RecorderMapping.updateOne({ _id: customerId }, { $set: { mappings } }, { upsert: true }),
  };
}

export type ConnectionStore = ReturnType<typeof connectionStore>;
