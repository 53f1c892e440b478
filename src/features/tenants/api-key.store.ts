import { type Model, Types } from 'mongoose';
import { coalesced } from '../../platform/mongo/coalesced.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import type { ApiKeyDoc } from './tenants.model.ts';

export type StoredApiKey = ApiKeyDoc & { _id: Types.ObjectId };

/** Throttled look-ups take more keys per query than a process can receive between two of them. */
const THROTTLED = { maxKeys: 5_000, pauseMs: 100 };

export function apiKeyStore({ ApiKey }: { ApiKey: Model<ApiKeyDoc> }) {
  const raw = rawReads(ApiKey);

  // Keys are not cached, so that a revocation takes effect immediately in every process.
  async function findByHash(hashes: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const found = await raw.find({ hash: { $in: [...new Set(hashes)] } }).toArray();
    const index = new Map(found.map((key) => [key.hash, key]));
    return hashes.map((hash) => index.get(hash) ?? null);
  }
  const byHash = coalesced(findByHash);
  const byHashThrottled = coalesced(findByHash, THROTTLED);
  const byId = coalesced<string, StoredApiKey | null>(async (ids) => {
    const found = await raw
      .find({ _id: { $in: [...new Set(ids)].map((id) => new Types.ObjectId(id)) } })
      .toArray();
    const index = new Map(found.map((key) => [key._id.toHexString(), key]));
    return ids.map((id) => index.get(id) ?? null);
  });

  return {
    insert: async (key: StoredApiKey): Promise<void> => {
      await ApiKey.create(key);
    },
    byHash: (hash: string) => byHash(hash),
    /** Like `byHash`, with at most ten queries per second. */
    byHashThrottled: (hash: string) => byHashThrottled(hash),
    byId: (id: string) => byId(id),
    /** @param range.before id; null to begin with the newest key */
    list: ({ before, limit }: { before: string | null; limit: number }) =>
      ApiKey.find(before === null ? {} : { _id: { $lt: new Types.ObjectId(before) } })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<StoredApiKey[]>(),
    /** Revokes a key; an earlier revocation keeps its time. Returns null if the key does not exist. */
    revoke: (id: string, at: Date) =>
      ApiKey.findOneAndUpdate(
        { _id: new Types.ObjectId(id) },
        [{ $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }],
        {
          returnDocument: 'after',
          updatePipeline: true,
        },
      ).lean<StoredApiKey>(),
    /** Writes times of last use by key id. */
    async updateLastUsed(usedAt: ReadonlyMap<string, Date>): Promise<void> {
      await ApiKey.bulkWrite(
        [...usedAt].map(([id, at]) => ({
          updateOne: { filter: { _id: new Types.ObjectId(id) }, update: { $max: { lastUsedAt: at } } },
        })),
        { ordered: false },
      );
    },
  };
}

export type ApiKeyStore = ReturnType<typeof apiKeyStore>;
