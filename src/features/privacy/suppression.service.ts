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
import {
  createMeetingSuppressor,
  createSuppressor,
  type MeetingSuppressor,
  type Suppressible,
  type Suppressor,
  suppressible,
} from './suppressor.ts';

/** Suppressed identifiers per tenant, which bounds the memory of every process. */
const MAX_SUPPRESSIONS = 200_000;

/** A suppressed identifier, as clients see it. */
export interface Suppression {
  id: string;
  type: SuppressionType;
  hash: string;
  /** Null for a meeting. */
  erasureId: string | null;
  /** Id of the API key that started the erasure or deleted the meeting; null for the command line. */
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
  erasureId: erasureId?.toHexString() ?? null,
  createdBy,
  createdAt,
});

/** What data of suppressed people, and suppressed meetings, are counted by. */
export type SuppressionSource = 'conversations' | 'events' | 'imports' | 'meetings';
export const SUPPRESSION_SOURCES: readonly SuppressionSource[] = [
  'conversations',
  'events',
  'imports',
  'meetings',
];

interface Deps {
  suppressions: SuppressionStore;
  privacyKeys: PrivacyKeyStore;
  onSuppressed: (source: SuppressionSource, count: number) => void;
  clock: Clock;
}

/** Recognizes suppressed people and meetings in what a tenant stores; implemented by `suppressionService`. */
export interface Suppressions {
  /**
   * Runs work that stores data about people, with the suppressor of the tenant; null while it has no suppressed people.
   * Without a query if that is cached. The last pass of an erasure, and the removal of a suppressed meeting, begin only
   * after all work with an earlier list has ended.
   */
  whileStoring<T>(
    tenant: TenantRef,
    store: (suppressor: Suppressor | null, isSuppressedMeeting: MeetingSuppressor) => Promise<T>,
  ): Promise<T>;
  /** As `whileStoring`, for work that copies stored data: an erasure also finds the copies. */
  whileCopying<T>(tenants: readonly TenantRef[], copy: () => Promise<T>): Promise<T>;
  /** Counts what was stored without what names a suppressed person, and suppressed meetings that were not stored. */
  count(source: SuppressionSource, count?: number): void;
}

/** For data that belongs to no real person, such as the demo's. */
export const NO_SUPPRESSIONS: Suppressions = {
  whileStoring: (_tenant, store) => store(null, () => false),
  whileCopying: (_tenants, copy) => copy(),
  count() {},
};

/** Returns the error that work which may store data has not ended in time. @param next what to do */
export const stillWritten = (next: string): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    `Data of the customer is still being stored by work that began earlier. ${next}`,
  );

/** Manages the suppression list, and applies it to data that is stored. */
export function suppressionService({ suppressions, privacyKeys, onSuppressed, clock }: Deps) {
  /** Returns the hashes of the identifiers. @throws AppError `CONFLICT` beyond the limit of the tenant */
  async function addAll(
    tenant: TenantRef,
    identifiers: readonly Suppressible[],
    { erasureId, createdBy }: Pick<SuppressionDoc, 'erasureId' | 'createdBy'>,
  ): Promise<string[]> {
    const key = await privacyKeys.findOrCreate(tenant);
    const createdAt = clock.now();
    const entries = identifiers.map(({ type, identifier, words }) => ({
      _id: newObjectId(createdAt),
      customerId: tenant.customerId,
      type,
      hash: key.hash(identifier, type),
      ...(words && { words: words.map((word) => wordHash(key, type, word)) }),
      erasureId,
      createdBy,
      createdAt,
    }));
    const hashes = entries.map(({ hash }) => hash);
    const total = (await suppressions.count(tenant, MAX_SUPPRESSIONS)) + hashes.length;
    // A repetition adds nothing.
    if (
      total > MAX_SUPPRESSIONS &&
      total - (await suppressions.countKnown(tenant, hashes)) > MAX_SUPPRESSIONS
    )
      throw new AppError(
        'CONFLICT',
        `A customer can suppress at most ${MAX_SUPPRESSIONS.toLocaleString('en')} identifiers; lift some, or repeat the request with suppress: false.`,
      );
    await suppressions.add(tenant, entries);
    return hashes;
  }

  const service: Suppressions = {
    whileStoring: (tenant, store) =>
      suppressions.whileWriting([tenant], async () => {
        const hashes = await suppressions.hashes(tenant);
        return store(createSuppressor(hashes), createMeetingSuppressor(hashes));
      }),
    whileCopying: suppressions.whileWriting,
    count: (source, count = 1) => onSuppressed(source, count),
  };

  return {
    ...service,
    awaitWrites: suppressions.awaitWrites,

    /** Suppresses the identifiers of a person. @throws AppError `CONFLICT` beyond the limit of the tenant */
    async add(
      tenant: TenantRef,
      person: Person,
      origin: { erasureId: Types.ObjectId; createdBy: string | null },
    ): Promise<void> {
      await addAll(tenant, suppressible(person), origin);
    },

    /**
     * Suppresses a meeting, and waits until all work that may still store it has ended. Returns the id of the entry.
     *
     * @throws AppError `CONFLICT` beyond the limit of the tenant; `SERVICE_UNAVAILABLE` if such work does not end within 20
     *   seconds: the entry exists, and a repetition waits again
     */
    async addMeeting(
      tenant: TenantRef,
      recorderMeetingId: string,
      createdBy: string | null,
    ): Promise<string> {
      const identifier = { type: 'meeting' as const, identifier: recorderMeetingId };
      const [hash = ''] = await addAll(tenant, [identifier], { erasureId: null, createdBy });
      if (!(await suppressions.awaitWrites(tenant)))
        throw stillWritten('The meeting is suppressed; repeat the request to delete it.');
      const entry = await suppressions.find(tenant, hash);
      // Lifted by another request in the meantime.
      if (!entry)
        throw new AppError(
          'CONFLICT',
          'The suppression of the meeting was lifted meanwhile; repeat the request to delete it.',
        );
      return entry._id.toHexString();
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
