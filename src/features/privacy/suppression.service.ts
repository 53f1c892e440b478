import type { Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { Person } from './person.ts';
import type { SuppressionDoc } from './privacy.model.ts';
import type { PrivacyKeyStore } from './privacy-keys.store.ts';
import { type SuppressionStore, wordHash } from './suppression.store.ts';
import type { SuppressionType } from './suppression-types.ts';
import { createSuppressor, type Suppressor, suppressible } from './suppressor.ts';

/** Suppressed identifiers per tenant, which bounds the memory of every process. */
const MAX_SUPPRESSIONS = 200_000;

/** A suppressed identifier, as clients see it. */
export interface Suppression {
  id: string;
  type: SuppressionType;
  hash: string;
  erasureId: string;
  /** Id of the API key that started the erasure; null for the command line. */
  createdBy: string | null;
  createdAt: Date;
}

const toSuppression = ({
  _id,
  type,
  hash,
  erasureId,
  createdBy,
  createdAt,
}: SuppressionDoc): Suppression => ({
  id: _id.toHexString(),
  type,
  hash,
  erasureId: erasureId.toHexString(),
  createdBy,
  createdAt,
});

/** What stored data of a suppressed person is counted by. */
export type SuppressionSource = 'conversations' | 'events' | 'imports' | 'meetings';
export const SUPPRESSION_SOURCES: readonly SuppressionSource[] = [
  'conversations',
  'events',
  'imports',
  'meetings',
];

interface Deps {
  suppressions: SuppressionStore;
  keys: PrivacyKeyStore;
  onSuppressed: (source: SuppressionSource, count: number) => void;
  clock: Clock;
}

/** Recognizes suppressed people in what a tenant stores; implemented by `suppressionService`. */
export interface Suppressions {
  /**
   * Runs work that stores data about people, with the suppressor of the tenant; null while it has no suppressions. Without
   * a query if that is cached. The last pass of an erasure begins only after all work with an earlier list has ended.
   */
  whileStoring<T>(tenant: TenantRef, store: (suppressor: Suppressor | null) => Promise<T>): Promise<T>;
  /** As `whileStoring`, for work that copies stored data: an erasure also finds the copies. */
  whileCopying<T>(tenants: readonly TenantRef[], copy: () => Promise<T>): Promise<T>;
  /** Counts what was stored without what names a suppressed person. */
  count(source: SuppressionSource, count?: number): void;
}

/** For data that belongs to no real person, such as the demo's. */
export const NO_SUPPRESSIONS: Suppressions = {
  whileStoring: (_tenant, store) => store(null),
  whileCopying: (_tenants, copy) => copy(),
  count() {},
};

export function suppressionService({ suppressions, keys, onSuppressed, clock }: Deps) {
  return {
    whileStoring: <T>(tenant: TenantRef, store: (suppressor: Suppressor | null) => Promise<T>): Promise<T> =>
      suppressions.whileWriting([tenant], async () =>
        store(createSuppressor(await suppressions.hashes(tenant))),
      ),
    whileCopying: suppressions.whileWriting,
    awaitWrites: suppressions.awaitWrites,
    count: (source: SuppressionSource, count = 1) => onSuppressed(source, count),

    /** Suppresses the identifiers of a person. @throws AppError `CONFLICT` beyond the limit of the tenant */
    async add(
      tenant: TenantRef,
      person: Person,
      { erasureId, createdBy }: { erasureId: Types.ObjectId; createdBy: string | null },
    ): Promise<void> {
      const key = await keys.findOrCreate(tenant);
      const identifiers = suppressible(person);
      if ((await suppressions.count(tenant, MAX_SUPPRESSIONS)) + identifiers.length > MAX_SUPPRESSIONS)
        throw new AppError(
          'CONFLICT',
          `A customer can suppress at most ${MAX_SUPPRESSIONS.toLocaleString('en')} identifiers; lift some, or erase with suppress: false.`,
        );
      const createdAt = clock.now();
      await suppressions.add(
        tenant,
        identifiers.map(({ type, identifier, words }) => ({
          _id: newObjectId(createdAt),
          customerId: tenant.customerId,
          type,
          hash: key.hash(identifier, type),
          ...(words && { words: words.map((word) => wordHash(key, word)) }),
          erasureId,
          createdBy,
          createdAt,
        })),
      );
    },

    /** Returns suppressed identifiers, newest first. */
    list: (tenant: TenantRef, page: PageRequest): Promise<Page<Suppression>> =>
      readPage(page, {
        cursor: cursorCodec(['suppressions', tenant.customerId], isObjectIdText),
        read: (before, limit) => suppressions.list(tenant, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toSuppression,
      }),

    /** Lifts one entry. @throws AppError `NOT_FOUND` */
    async lift(tenant: TenantRef, id: string): Promise<Suppression> {
      const removed = await suppressions.remove(tenant, id);
      if (!removed) throw new AppError('NOT_FOUND', 'The suppression does not exist.');
      return toSuppression(removed);
    },
  };
}

export type SuppressionService = ReturnType<typeof suppressionService>;
