import { LRUCache } from 'lru-cache';
import { type Model, Types } from 'mongoose';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { isDuplicateOnly } from '../../platform/mongo/duplicate-key.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from './erasure-step.ts';
import type { SuppressionDoc } from './privacy.model.ts';
import type { PrivacyKey, PrivacyKeyStore } from './privacy-keys.store.ts';

/** Hashes in memory, over all tenants. A tenant with none counts as one. */
const MAX_CACHED_HASHES = 1_000_000;

/** A tenant's suppressed identifiers. */
export interface SuppressedHashes {
  /** Null while none are suppressed. */
  key: PrivacyKey | null;
  hashes: ReadonlySet<string>;
}

export function suppressionStore(
  { Suppression }: { Suppression: Model<SuppressionDoc> },
  keys: PrivacyKeyStore,
  coherence: Coherence,
) {
  const raw = rawReads(Suppression);
  const cache = coherentCache<number, SuppressedHashes>({
    coherence,
    entries: new LRUCache<number, CacheEntry<SuppressedHashes>>({
      maxSize: MAX_CACHED_HASHES,
      sizeCalculation: ({ value }) => value.hashes.size + 1,
    }),
    prefix: 'suppressions',
    toKey: Number,
    async load(customerId) {
      const found = await raw
        .find({ customerId })
        .project<Pick<SuppressionDoc, 'hash'>>({ _id: 0, hash: 1 })
        .hint({ customerId: 1, hash: 1 })
        .toArray();
      const hashes = new Set(found.map(({ hash }) => hash));
      return { key: hashes.size === 0 ? null : await keys.find({ customerId }), hashes };
    },
  });

  return {
    /** Returns the suppressed identifiers of a tenant, without a query if they are cached. */
    hashes: async ({ customerId }: TenantRef): Promise<SuppressedHashes> =>
      (await cache.get(customerId)) ?? { key: null, hashes: new Set() },

    /** Counts up to `limit`. */
    count: ({ customerId }: TenantRef, limit: number): Promise<number> =>
      Suppression.countDocuments({ customerId }, { limit }),

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
