import { LRUCache } from 'lru-cache';
import { type Model, Types } from 'mongoose';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { isDuplicateOnly } from '../../platform/mongo/duplicate-key.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { SuppressionDoc } from './privacy.model.ts';
import type { PrivacyKey, PrivacyKeyStore } from './privacy-keys.store.ts';
import type { SuppressionType } from './suppression-types.ts';

/** Hashes in memory, over all tenants, those of words included. A tenant with none counts as one. */
const MAX_CACHED_HASHES = 1_000_000;
/** Characters of the words of texts whose comparison with suppressed identifiers is kept, over all tenants. */
const MAX_COMPARED_CHARACTERS = 1_000_000;
/** Characters of a word's hash that are stored: enough to leave out nearly all other words. */
const WORD_HASH_LENGTH = 4;

/** Returns the start of the keyed hash of a word of an identifier. */
export const wordHash = (key: PrivacyKey, type: SuppressionType, word: string): string =>
  key.hash(word, `${type}_word`).slice(0, WORD_HASH_LENGTH);

/** A tenant's suppressed identifiers. */
export interface SuppressedHashes {
  /** Null while none are suppressed. */
  key: PrivacyKey | null;
  /** Of people. */
  hashes: ReadonlySet<string>;
  /** The types that these have. */
  types: ReadonlySet<SuppressionType>;
  meetings: ReadonlySet<string>;
  /** Number of stored hashes of words. */
  wordCount: number;
  /** Returns false if no suppressed identifier of a type has a word, so that most texts need no keyed hash of their own. */
  hasWord(type: SuppressionType, word: string): boolean;
}

/** Topic that work holds while it stores data of a tenant. */
const writesOf = ({ customerId }: TenantRef): string => `personalWrites:${customerId}`;

const NO_HASHES: SuppressedHashes = {
  key: null,
  hashes: new Set(),
  types: new Set(),
  meetings: new Set(),
  wordCount: 0,
  hasWord: () => false,
};

type StoredHash = Pick<SuppressionDoc, 'type' | 'hash' | 'words'>;

/** Creates the comparison of words with those of stored hashes, of all tenants. */
export function createKnownWords() {
  // No `LRUCache`, which allocates the memory of all its entries at once.
  const compared = new Map<string, boolean>();
  let characters = 0;
  let loads = 0;

  return (key: PrivacyKey, found: readonly StoredHash[]): SuppressedHashes['hasWord'] => {
    const hashes = new Map<SuppressionType, ReadonlySet<string> | null>();
    for (const [type, entries] of Map.groupBy(found, (entry) => entry.type)) {
      // An earlier build stored only the words of names.
      const isComplete = entries.every(({ words }) => words !== undefined);
      hashes.set(type, isComplete ? new Set(entries.flatMap(({ words = [] }) => words)) : null);
    }
    loads += 1;
    // Keeps apart what tenants, and earlier reads of one tenant, have stored.
    const prefix = loads;
    return (type, word) => {
      const ofType = hashes.get(type);
      if (!ofType) return ofType === null;
      const id = `${prefix}:${type}:${word}`;
      const known = compared.get(id);
      if (known !== undefined) return known;
      const isKnown = ofType.has(wordHash(key, type, word));
      if (characters + id.length > MAX_COMPARED_CHARACTERS) {
        compared.clear();
        characters = 0;
      }
      compared.set(id, isKnown);
      characters += id.length;
      return isKnown;
    };
  };
}

export function suppressionStore(
  { Suppression }: { Suppression: Model<SuppressionDoc> },
  keys: PrivacyKeyStore,
  coherence: Coherence,
) {
  const raw = rawReads(Suppression);
  const knownWords = createKnownWords();
  const cache = coherentCache<number, SuppressedHashes>({
    coherence,
    entries: new LRUCache<number, CacheEntry<SuppressedHashes>>({
      maxSize: MAX_CACHED_HASHES,
      // Also the most that one tenant can have is cached.
      sizeCalculation: ({ value: { hashes, meetings, wordCount } }) =>
        Math.min(hashes.size + meetings.size + wordCount + 1, MAX_CACHED_HASHES),
    }),
    prefix: 'suppressions',
    toKey: Number,
    async load(customerId) {
      const found = await raw
        .find({ customerId })
        .project<StoredHash>({ _id: 0, type: 1, hash: 1, words: 1 })
        .hint({ customerId: 1, hash: 1 })
        .toArray();
      const key = found.length === 0 ? null : await keys.find({ customerId });
      if (!key) return NO_HASHES;
      const { meetings = [], people = [] } = Object.groupBy(found, ({ type }) =>
        type === 'meeting' ? 'meetings' : 'people',
      );
      return {
        key,
        hashes: new Set(people.map(({ hash }) => hash)),
        types: new Set(people.map(({ type }) => type)),
        meetings: new Set(meetings.map(({ hash }) => hash)),
        wordCount: people.reduce((count, { words = [] }) => count + words.length, 0),
        hasWord: knownWords(key, people),
      };
    },
  });

  return {
    /** Returns the suppressed identifiers of a tenant, without a query if they are cached. */
    hashes: async ({ customerId }: TenantRef): Promise<SuppressedHashes> =>
      (await cache.get(customerId)) ?? NO_HASHES,

    /** Runs work that stores or copies data of tenants, and that `awaitWrites` waits for. */
    whileWriting: <T>(tenants: readonly TenantRef[], work: () => Promise<T>): Promise<T> =>
      coherence.hold(tenants.map(writesOf), work),

    /** Returns false if work of the tenant that began before, in any process, may not have ended within 20 seconds. */
    awaitWrites: (tenant: TenantRef, signal?: AbortSignal): Promise<boolean> =>
      coherence.awaitHolders(writesOf(tenant), signal),

    /** Counts up to `limit`. */
    count: ({ customerId }: TenantRef, limit: number): Promise<number> =>
      Suppression.countDocuments({ customerId }, { limit }),

    /** Counts the hashes that have an entry. */
    countKnown: ({ customerId }: TenantRef, hashes: readonly string[]): Promise<number> =>
      Suppression.countDocuments({ customerId, hash: { $in: [...hashes] } }),

    /** Adds entries, except those that exist; every process knows them once it resolves. */
    add: (tenant: TenantRef, entries: SuppressionDoc[]): Promise<void> =>
      cache.change(tenant.customerId, async () => {
        if (entries.length === 0) return;
        await Suppression.collection
          .insertMany(entries as never[], { ordered: false })
          .catch((error: unknown) => {
            if (!isDuplicateOnly(error)) throw error;
          });
      }),

    /** Returns the entry of a hash; null if the tenant has none. */
    find: ({ customerId }: TenantRef, hash: string): Promise<SuppressionDoc | null> =>
      Suppression.findOne({ customerId, hash }).lean<SuppressionDoc>(),

    /** @param before id of the last row of the previous page; null for the first page */
    list: ({ customerId }: TenantRef, { before, limit }: { before: string | null; limit: number }) =>
      Suppression.find({
        customerId,
        ...(before !== null && { _id: { $lt: new Types.ObjectId(before) } }),
      })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<SuppressionDoc[]>(),

    /** Removes an entry and returns it; null if the tenant has none with this id. */
    remove: async (tenant: TenantRef, id: string): Promise<SuppressionDoc | null> =>
      isObjectIdText(id)
        ? cache.change(tenant.customerId, () =>
            Suppression.findOneAndDelete({
              customerId: tenant.customerId,
              _id: new Types.ObjectId(id),
            }).lean<SuppressionDoc>(),
          )
        : null,
  };
}

export type SuppressionStore = ReturnType<typeof suppressionStore>;
