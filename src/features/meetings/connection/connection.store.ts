import type { Model } from 'mongoose';
import type { ConnectionStatus, Owner } from '../meetings.types.ts';
import type { ConnectionDoc } from './connection.model.ts';

/** Changes that the end of a sync makes to its connection. */
export interface ConnectionOutcome {
  status: ConnectionStatus;
  /** Absent after a failure, and after a sync of a chosen time range. */
  lastSyncAt?: Date;
  /** Absent to keep the time that was planned at the start of the sync. */
  nextSyncAt?: Date | null;
}

export const connectionStore = ({ RecorderConnection }: { RecorderConnection: Model<ConnectionDoc> }) => ({
  find: ({ customerId }: Owner) => RecorderConnection.findById(customerId).lean<ConnectionDoc>(),

  /** Creates the connection or replaces its key; `lastSyncAt` is kept. */
  save: (
    { customerId }: Owner,
    connection: Pick<ConnectionDoc, 'generation' | 'encryptedApiKey' | 'connectedAt' | 'nextSyncAt'>,
  ) =>
    RecorderConnection.findOneAndUpdate(
      { _id: customerId },
      { $set: { ...connection, status: 'connected' }, $setOnInsert: { lastSyncAt: null } },
      { upsert: true, returnDocument: 'after' },
    ).lean<ConnectionDoc>(),

  /** Returns false when there was no connection. */
  remove: async ({ customerId }: Owner): Promise<boolean> =>
    (await RecorderConnection.deleteOne({ _id: customerId })).deletedCount === 1,

  /** Changes the connection of this generation; does nothing when the key was replaced meanwhile. */
  update: (
    { customerId }: Owner,
    generation: string,
    changes: ConnectionOutcome | Pick<ConnectionDoc, 'nextSyncAt'>,
  ) => RecorderConnection.updateOne({ _id: customerId, generation }, { $set: changes }),

  /** Connections of any tenant whose sync is due or was never planned. */
  due: (now: Date, limit: number) =>
    RecorderConnection.find({
      status: { $in: ['connected', 'failing'] },
      nextSyncAt: { $not: { $gt: now } },
    })
      .limit(limit)
      .lean<ConnectionDoc[]>(),

  /** Returns true if any connection has an encrypted key that does not match the pattern. */
  hasKeyNotMatching: async (pattern: RegExp): Promise<boolean> =>
    (await RecorderConnection.exists({ encryptedApiKey: { $not: pattern } })) !== null,

  /** Streams the connections of all tenants, for operator commands. */
  all: () => RecorderConnection.find().sort({ _id: 1 }).lean<ConnectionDoc>().cursor(),

  /** Stores the re-encrypted key; returns false when the key was replaced meanwhile. */
  replaceEncryptedKey: async ({ customerId }: Owner, from: string, to: string): Promise<boolean> => {
    const { modifiedCount } = await RecorderConnection.updateOne(
      { _id: customerId, encryptedApiKey: from },
      { $set: { encryptedApiKey: to } },
    );
    return modifiedCount === 1;
  },
});

export type ConnectionStore = ReturnType<typeof connectionStore>;
