import { LRUCache } from 'lru-cache';
import { coherenceModel, coherenceStore } from '../../src/platform/coherence/coherence.store.ts';
import { createCoherence } from '../../src/platform/coherence/coherence.ts';
import { createCoherenceMember } from '../../src/platform/coherence/coherence-member.ts';
import { type CacheEntry, coherentCache } from '../../src/platform/coherence/coherent-cache.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { coalesced } from '../../src/platform/mongo/coalesced.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { answerCalls } from './child-process.ts';
import type { CoherenceParentCalls } from './coherence-process.ts';

/** A process that caches the values of a collection; see `startCoherenceProcess`. */
const [uri = ''] = process.argv.slice(2);
const connection = await connectMongo(uri, { serverSelectionTimeoutMs: 15_000 });
const values = connection.collection<{ _id: string; value: number }>('values');
const store = coherenceStore(coherenceModel(connection));
const log = createLogger(process.env.TEST_LOG_LEVEL ?? 'silent');
const member = createCoherenceMember({ store, caches: true, log });
const coherence = createCoherence({ store, member, log });
let loads = 0;
const cache = coherentCache<string, number>({
  coherence,
  entries: new LRUCache<string, CacheEntry<number>>({ max: 100 }),
  prefix: 'value',
  toKey: (key) => key,
  load: coalesced(async (keys) => {
    loads += 1;
    const found = await values.find({ _id: { $in: [...new Set(keys)] } }).toArray();
    const index = new Map(found.map(({ _id, value }) => [_id, value]));
    return keys.map((key) => index.get(key) ?? null);
  }),
});

const increment = async (key: string): Promise<number> => {
  const updated = await values.findOneAndUpdate(
    { _id: key },
    { $inc: { value: 1 } },
    { returnDocument: 'after' },
  );
  return updated?.value ?? 0;
};
const held = new Map<string, () => void>();
/** Notifies the parent that a change has arrived at a point, and waits there until the parent continues it. */
const hold = (key: string, point: string): Promise<void> => {
  void parent.call('reached', `${key} ${point}`);
  return new Promise((resolve) => held.set(key, resolve));
};

const calls = {
  read: async (key: string): Promise<number> => (await cache.get(key)) ?? -1,
  write: (key: string): Promise<number> => cache.change(key, () => increment(key)),
  writeHeldBefore: (key: string): Promise<number> =>
    cache.change(key, async () => {
      await hold(key, 'before');
      return increment(key);
    }),
  writeHeldAfter: (key: string): Promise<number> =>
    cache.change(key, async () => {
      const value = await increment(key);
      await hold(key, 'after');
      return value;
    }),
  /** Holds a key from a read of its value until the parent continues it. */
  readAndHold: (key: string): Promise<number> =>
    coherence.hold([`held:${key}`], async () => {
      const value = (await cache.get(key)) ?? -1;
      await hold(key, 'read');
      return value;
    }),
  awaitHolders: async (key: string): Promise<number> => Number(await coherence.awaitHolders(`held:${key}`)),
  /** As `awaitHolders`, but aborted after three seconds, which counts as false. */
  awaitHoldersBriefly: async (key: string): Promise<number> => {
    const limit = AbortSignal.timeout(3_000);
    const released = await coherence.awaitHolders(`held:${key}`, limit).catch((error: unknown) => {
      if (!limit.aborted) throw error;
      return false;
    });
    return Number(released);
  },
  continue(key: string): number {
    held.get(key)?.();
    return 0;
  },
  loads: (_key: string): number => loads,
};
export type CoherenceCalls = typeof calls;

const parent = answerCalls<CoherenceParentCalls>(calls);
process.once('SIGTERM', async () => {
  await coherence.close();
  process.exit(0);
});
await parent.call('reached', 'ready');
