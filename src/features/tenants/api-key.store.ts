import { LRUCache } from 'lru-cache';
import { type Model, Types } from 'mongoose';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { coalesced, THROTTLED_LOOK_UP } from '../../platform/mongo/coalesced.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import { createKnownKeys } from './known-keys.ts';
import type { ApiKeyDoc, EndedSessionDoc } from './tenants.model.ts';

export type StoredApiKey = ApiKeyDoc & { _id: Types.ObjectId };

/** Ended sessions stored per key. A further sign-out ends all sessions of the key. */
const MAX_ENDED_SESSIONS = 100;

/** Key ids whose hash is cached, for console sessions. */
const MAX_HASHES = 10_000;

export function apiKeyStore({ ApiKey }: { ApiKey: Model<ApiKeyDoc> }, coherence: Coherence) {
  const raw = rawReads(ApiKey);
  const known = createKnownKeys();

  async function findByHash(hashes: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const found = await raw.find({ hash: { $in: [...new Set(hashes)] } }).toArray();
    const index = new Map(found.map((key) => [key.hash, key]));
    return hashes.map((hash) => index.get(hash) ?? null);
  }
  // Unknown keys are not cached, so that a new key is valid at once.
  const byHash = coherentCache<string, StoredApiKey>({
    coherence,
    entries: known,
    prefix: 'key',
    toKey: (hash) => hash,
    load: coalesced(findByHash),
  });
  const loadThrottled = coalesced(findByHash, THROTTLED_LOOK_UP);
  const byId = coalesced<string, StoredApiKey | null>(async (ids) => {
    const found = await raw
      .find({ _id: { $in: [...new Set(ids)].map((id) => new Types.ObjectId(id)) } })
      .toArray();
    const index = new Map(found.map((key) => [key._id.toHexString(), key]));
    return ids.map((id) => index.get(id) ?? null);
  });

  /** Hashes by key id, which never change. */
  const hashes = new LRUCache<string, string>({ max: MAX_HASHES });

  const byHashThrottled = (hash: string) => (known.has(hash) ? byHash.get(hash) : loadThrottled(hash));

  return {
    insert: async (key: StoredApiKey): Promise<void> => {
      await ApiKey.create(key);
    },
    /** Returns the current state of a key, without a query if it is cached. */
    byHash: byHash.get,
    /** As `byHash`, but unknown keys share at most ten queries per second. */
    byHashThrottled,
    /** Removes a key that is no longer active from the known keys. */
    forget: (hash: string) => known.delete(hash),
    byId: (id: string) => byId(id),
    /** As `byHash` or `byHashThrottled`, by key id. The first look-up of an id is not throttled. */
    async byIdCached(id: string, { throttled }: { throttled: boolean }): Promise<StoredApiKey | null> {
      const hash = hashes.get(id);
      if (hash !== undefined) return throttled ? byHashThrottled(hash) : byHash.get(hash);
      const key = await byId(id);
      if (key) hashes.set(id, key.hash);
      return key;
    },
    /** @param range.before a key id; null to begin with the newest key */
    list: ({ before, limit }: { before: string | null; limit: number }) =>
      ApiKey.find(before === null ? {} : { _id: { $lt: new Types.ObjectId(before) } })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<StoredApiKey[]>(),
    /** Revokes a key; an earlier revocation keeps its time. Returns null if the key does not exist. */
    async revoke(id: string, at: Date): Promise<StoredApiKey | null> {
      const key = await byId(id);
      if (!key) return null;
      return byHash.change(key.hash, () =>
        ApiKey.findOneAndUpdate(
          { _id: key._id },
          [{ $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }],
          { returnDocument: 'after', updatePipeline: true },
        ).lean<StoredApiKey>(),
      );
    },
    /** Ends a console session of a key; once this resolves, no process accepts it. */
    async endSession(id: string, ended: EndedSessionDoc, now: Date): Promise<void> {
      const key = await byId(id);
      if (!key) return;
      const others = {
        $filter: {
          input: { $ifNull: ['$endedSessions', []] },
          cond: { $and: [{ $gt: ['$$this.expiresAt', now] }, { $ne: ['$$this.id', ended.id] }] },
        },
      };
      const isFull = { $gt: [{ $size: '$endedSessions' }, MAX_ENDED_SESSIONS] };
      await byHash.change(key.hash, () =>
        ApiKey.updateOne(
          { _id: key._id },
          [
            { $set: { endedSessions: { $concatArrays: [others, [ended]] } } },
            {
              $set: {
                sessionsEndedAt: { $cond: [isFull, now, { $ifNull: ['$sessionsEndedAt', '$$REMOVE'] }] },
                endedSessions: { $cond: [isFull, [], '$endedSessions'] },
              },
            },
          ],
          { updatePipeline: true },
        ),
      );
    },
    /** Ends all current console sessions of a key; once this resolves, no process accepts them. */
    async endSessions(id: string, now: Date): Promise<void> {
      const key = await byId(id);
      if (!key) return;
      await byHash.change(key.hash, () =>
        ApiKey.updateOne({ _id: key._id }, { $set: { sessionsEndedAt: now }, $unset: { endedSessions: 1 } }),
      );
    },
    /** @param usedAt by key id */
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
