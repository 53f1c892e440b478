import { LRUCache } from 'lru-cache';
import { type ClientSession, type Model, Types } from 'mongoose';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { change, type Write } from '../../platform/commit/unit-of-work.ts';
import { escapePattern } from '../../platform/escape-pattern.ts';
import { coalesced, THROTTLED_LOOK_UP } from '../../platform/mongo/coalesced.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import type { KeyState } from '../../shared/key-limits.ts';
import { createKnownKeys } from './known-keys.ts';
import type { ApiKeyDoc, EndedSessionDoc, StartedSessionDoc, StoredApiKey } from './tenants.model.ts';
import type { KeyFilter } from './tenants.types.ts';

/** Ended sessions stored per key. A further sign-out ends all sessions of the key. */
const MAX_ENDED_SESSIONS = 100;

/** Latest sessions stored per key. */
const MAX_SESSIONS = 100;

/** Key ids whose hash is cached, for console sessions. */
const MAX_HASHES = 10_000;

/** Longest time for which another admin key has to be valid still when one ends. Milliseconds. */
const LASTING_MS = 24 * 60 * 60 * 1000;

/** No other admin key lasts, except rotated ones; see `relyOnOther`. */
export class LastAdminKey extends Error {}

/** Fields that an update sets; those that are undefined are removed. */
export type KeyChange = Partial<
  Pick<ApiKeyDoc, 'name' | 'resources' | 'networks' | 'sessionsEndedAt' | 'endedSessions' | 'remindedAt'>
> & { expiresAt?: Date | null };

/** Use of a key since the last write. */
export interface KeyUse {
  at: Date;
  address: string;
}

/** Keys that are due for a reminder expire after `from` and at most at `until`, which is `beforeMs` from now. */
export interface ReminderWindow {
  from: Date;
  until: Date;
  beforeMs: number;
}

/** Use of a console session since the last write. */
export interface SessionUse {
  keyId: string;
  at: Date;
}

/** Authentication and lists of keys do not read the sessions. */
const WITHOUT_SESSIONS = { sessions: 0 } as const;

const unexpiredAt = (now: Date) => ({ $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] });

const STATE_FILTERS: Record<KeyState, (now: Date) => object> = {
  active: (now) => ({ revokedAt: null, ...unexpiredAt(now) }),
  expired: (now) => ({ revokedAt: null, expiresAt: { $lte: now } }),
  revoked: () => ({ revokedAt: { $ne: null } }),
};

const NOT_ROTATED = { replacedBy: { $exists: false } };

const containing = (text: string) => ({ $regex: escapePattern(text), $options: 'i' });

const filterOf = ({ customerId, scope, state, text }: KeyFilter, now: Date) => ({
  ...(customerId !== null && { customerId }),
  ...(scope !== null && { scope }),
  ...(state !== null && STATE_FILTERS[state](now)),
  // Apart from the `$or` of a state.
  ...(text !== null && { $and: [{ $or: [{ name: containing(text) }, { prefix: containing(text) }] }] }),
});

export function apiKeyStore({ ApiKey }: { ApiKey: Model<ApiKeyDoc> }, coherence: Coherence) {
  const raw = rawReads(ApiKey);
  const known = createKnownKeys();

  async function findByHash(hashes: readonly string[]): Promise<(StoredApiKey | null)[]> {
    const found = await raw
      .find({ hash: { $in: [...new Set(hashes)] } })
      .project<StoredApiKey>(WITHOUT_SESSIONS)
      .toArray();
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
      .project<StoredApiKey>(WITHOUT_SESSIONS)
      .toArray();
    const index = new Map(found.map((key) => [key._id.toHexString(), key]));
    return ids.map((id) => index.get(id) ?? null);
  });

  /** Hashes by key id, which never change. */
  const hashes = new LRUCache<string, string>({ max: MAX_HASHES });

  const inTransaction = <T>(work: (session: ClientSession) => Promise<T>): Promise<T> =>
    ApiKey.db.withSession((session) => session.withTransaction(() => work(session)));

  /**
   * Requires another admin key if one ends before it would have, and within `LASTING_MS`. The other key lasts until one of
   * these times, and was not rotated: that would end with its overlap. The write makes transactions conflict if one relies
   * on a key that the other ends.
   *
   * @param end time at which the key ends
   */
  async function relyOnOther(
    _id: Types.ObjectId,
    { end, now }: { end: Date; now: Date },
    session: ClientSession,
  ): Promise<void> {
    // Not as it was read before: another request may have changed it meanwhile.
    const key = await ApiKey.findById(_id, { expiresAt: 1 }, { session }).lean<StoredApiKey>();
    const dayFromNow = new Date(now.getTime() + LASTING_MS);
    const until = key?.expiresAt && key.expiresAt < dayFromNow ? key.expiresAt : dayFromNow;
    if (end >= until) return;
    const { matchedCount } = await ApiKey.updateOne(
      {
        _id: { $ne: _id },
        ...{ customerId: null, scope: 'admin', revokedAt: null, ...NOT_ROTATED },
        $or: [{ expiresAt: null }, { expiresAt: { $gte: until } }],
      },
      { $set: { reliedOnAt: now } },
      { session },
    );
    if (matchedCount === 0) throw new LastAdminKey();
  }

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
    list: (filter: KeyFilter, now: Date, { before, limit }: { before: string | null; limit: number }) =>
      ApiKey.find(
        {
          ...filterOf(filter, now),
          ...(before !== null && { _id: { $lt: new Types.ObjectId(before) } }),
        },
        WITHOUT_SESSIONS,
      )
        .sort({ _id: -1 })
        .limit(limit)
        .lean<StoredApiKey[]>(),
    /**
     * Changes a key; returns null if it was revoked meanwhile. Once this resolves, the change applies in every process.
     *
     * @throws LastAdminKey if it is an admin key that now ends earlier, and no other one lasts; nothing is changed
     */
    update: (
      { _id, hash, scope }: StoredApiKey,
      changes: KeyChange,
      now: Date,
    ): Promise<StoredApiKey | null> => {
      const entries = Object.entries(changes);
      const set = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
      const unset = Object.fromEntries(
        entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]),
      );
      const apply = (session: ClientSession | null) =>
        ApiKey.findOneAndUpdate(
          { _id, revokedAt: null },
          { $set: set, $unset: unset },
          { returnDocument: 'after', session },
        ).lean<StoredApiKey>();
      const end = scope === 'admin' ? changes.expiresAt : null;
      return byHash.change(hash, () =>
        end
          ? inTransaction(async (session) => {
              await relyOnOther(_id, { end, now }, session);
              return apply(session);
            })
          : apply(null),
      );
    },
    /**
     * Revokes a key; an earlier revocation keeps its time.
     *
     * @throws LastAdminKey if no other admin key lasts; nothing is changed
     */
    revoke: ({ _id, hash, scope }: StoredApiKey, at: Date): Promise<StoredApiKey | null> =>
      byHash.change(hash, () =>
        inTransaction(async (session) => {
          if (scope === 'admin') await relyOnOther(_id, { end: at, now: at }, session);
          return ApiKey.findOneAndUpdate(
            { _id },
            [{ $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }],
            { returnDocument: 'after', updatePipeline: true, session },
          ).lean<StoredApiKey>();
        }),
      ),
    /** Returns true once no failover can undo the revocation of a key as it was read; false if it was undone. */
    confirmRevocation: ({ _id, hash, revokedAt }: StoredApiKey): Promise<boolean> =>
      byHash.change(hash, async () => {
        // A write without an effect waits for a majority as well.
        const { matchedCount } = await ApiKey.updateOne({ _id, revokedAt }, { $set: { revokedAt } });
        return matchedCount > 0;
      }),
    /**
     * Inserts the successor of a key, which ends at a time. Returns false, and inserts nothing, if the key was revoked or
     * rotated, or its expiry time changed, meanwhile. Once this resolves, both apply in every process.
     */
    replace: (
      { _id, hash, expiresAt }: StoredApiKey,
      successor: StoredApiKey,
      end: Pick<ApiKeyDoc, 'expiresAt'> | Pick<ApiKeyDoc, 'revokedAt'>,
    ): Promise<boolean> =>
      byHash.change(hash, () =>
        inTransaction(async (session) => {
          const { matchedCount } = await ApiKey.updateOne(
            { _id, revokedAt: null, expiresAt, ...NOT_ROTATED },
            { $set: { ...end, replacedBy: successor._id } },
            { session },
          );
          if (matchedCount === 1) await ApiKey.create([successor], { session });
          return matchedCount === 1;
        }),
      ),
    /** Stores a console session, in place of the oldest one of a key with many. */
    addSession: (id: string, session: StartedSessionDoc) =>
      ApiKey.updateOne(
        { _id: new Types.ObjectId(id) },
        { $push: { sessions: { $each: [session], $slice: -MAX_SESSIONS } } },
      ),
    /** Returns the stored sessions of a key, oldest first. */
    async sessions(id: string): Promise<StartedSessionDoc[]> {
      const found = await ApiKey.findById(new Types.ObjectId(id), { sessions: 1 }).lean<StoredApiKey>();
      return found?.sessions ?? [];
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
    /**
     * Returns keys of all tenants in a window without a reminder since it applies to them, those that expire first. A key
     * that was rotated, or was valid for less than the window from the start, needs none.
     */
    withReminderDue: (
      { from, until, beforeMs }: ReminderWindow,
      { id, limit }: { id?: string; limit: number },
    ) =>
      ApiKey.find({
        ...(id !== undefined && { _id: new Types.ObjectId(id) }),
        revokedAt: null,
        expiresAt: { $gt: from, $lte: until },
        ...NOT_ROTATED,
        $expr: { $gt: [{ $subtract: ['$expiresAt', beforeMs] }, { $max: ['$createdAt', '$remindedAt'] }] },
      })
        .sort({ expiresAt: 1 })
        .limit(limit)
        .lean<StoredApiKey[]>(),
    /** Write that records a reminder. Matches nothing if another process has recorded one, or the key has changed. */
    reminded: ({ _id, expiresAt, remindedAt }: StoredApiKey, at: Date): Write =>
      change(
        ApiKey,
        { _id, revokedAt: null, expiresAt, ...NOT_ROTATED, remindedAt: remindedAt ?? { $exists: false } },
        { $set: { remindedAt: at } },
      ),
    /** @param uses by key id @param sessions by session id */
    async updateLastUsed(
      uses: ReadonlyMap<string, KeyUse>,
      sessions: ReadonlyMap<string, SessionUse>,
    ): Promise<void> {
      const ofKeys = [...uses].map(([id, { at, address }]) => ({
        updateOne: {
          // Another process may have stored a later one.
          filter: { _id: new Types.ObjectId(id), $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: at } }] },
          update: { $set: { lastUsedAt: at, lastUsedAddress: address } },
        },
      }));
      const ofSessions = [...sessions].map(([id, { keyId, at }]) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(keyId), 'sessions.id': id },
          update: { $max: { 'sessions.$.usedAt': at } },
        },
      }));
      await ApiKey.bulkWrite([...ofKeys, ...ofSessions], { ordered: false });
    },
  };
}

export type ApiKeyStore = ReturnType<typeof apiKeyStore>;
