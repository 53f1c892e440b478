import type { Model } from 'mongoose';
import { untypedCollection } from '../../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../../platform/mongo/scan-window.ts';
import { timeOrder } from '../../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { RetentionStep } from '../../privacy/retention-step.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import { groupOfOrdinal } from '../search/postings.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { BY_ORDER, type MeetingDoc, type TranscriptDoc } from './meetings.model.ts';

interface Deps {
  models: {
    Meeting: Model<MeetingDoc>;
    MeetingTranscript: Model<TranscriptDoc>;
    MeetingProviderRecord: Model<ProviderRecordDoc>;
  };
  index: Pick<SearchIndexStore, 'removeGroups' | 'outdateBatches' | 'markPending'>;
  /** Removes everything that belongs to meetings, apart from their words in the search index. */
  removeContents: (tenant: TenantRef, ids: readonly string[]) => Promise<void>;
}

const WINDOW = 500;

/** Retention of meetings, and of their transcripts alone; by the start of the meeting. */
export function meetingRetention({ models, index, removeContents }: Deps): RetentionStep[] {
  const { Meeting, MeetingTranscript, MeetingProviderRecord } = models;
  const meetings = untypedCollection(Meeting);

  const ofIds = ({ customerId }: TenantRef, ids: readonly string[]) => ({
    customerId,
    _id: { $in: [...ids] },
  });

  const scan = ({ customerId }: TenantRef, before: Date, after: unknown) =>
    scanIds(meetings, {
      of: { customerId },
      by: 'order',
      hint: BY_ORDER,
      after,
      below: timeOrder(before),
      size: WINDOW,
      match: {},
    });

  /** Removes the groups of the search index that have words of the meetings, whose other meetings wait for the indexer. */
  async function removeWords(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    // The indexer may have read them, and not yet given them an ordinal.
    await index.outdateBatches(tenant);
    const ordinals: number[] = await Meeting.distinct('indexedAs', {
      ...ofIds(tenant, ids),
      indexedAs: { $gte: 0 },
    });
    if (ordinals.length === 0) return;
    await index.removeGroups(tenant, [...new Set(ordinals.map(groupOfOrdinal))]);
  }

  /** Removes the words of contents that are gone. */
  async function removeIndexed(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    await removeWords(tenant, ids);
    await index.markPending(tenant);
  }

  /** Removes the rest of meetings that are gone, and starts the indexer for the meetings of their groups. */
  async function removeRest(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    const stored = new Set(await Meeting.distinct('_id', ofIds(tenant, ids)));
    await removeContents(
      tenant,
      ids.filter((id) => !stored.has(id)),
    );
    await index.markPending(tenant);
  }

  return [
    {
      kind: 'meetings',
      find: scan,
      async remove(tenant, ids) {
        await removeWords(tenant, ids);
        // A meeting that was indexed since stays for the next run, which removes its words first.
        const { deletedCount } = await Meeting.deleteMany({
          ...ofIds(tenant, ids),
          indexedAs: { $not: { $gte: 0 } },
        });
        // The indexer last: it must not index what is being removed.
        await removeRest(tenant, ids);
        return deletedCount;
      },
      removeRest,
    },
    {
      kind: 'transcripts',
      keepsObjects: true,
      async find(tenant, before, after) {
        const { ids, next } = await scan(tenant, before, after);
        const [transcripts, records] = await Promise.all([
          MeetingTranscript.find(ofIds(tenant, ids), { _id: 1 }).lean<Pick<TranscriptDoc, '_id'>[]>(),
          MeetingProviderRecord.find({ ...ofIds(tenant, ids), data: { $exists: true } }, { _id: 1 }).lean<
            Pick<ProviderRecordDoc, '_id'>[]
          >(),
        ]);
        return { ids: [...new Set([...transcripts, ...records].map(({ _id }) => _id))], next };
      },
      /** A later sync stores the transcript again only if the provider has changed the meeting. */
      async remove(tenant, ids) {
        await MeetingTranscript.deleteMany(ofIds(tenant, ids));
        // The record of the provider repeats the transcript.
        await MeetingProviderRecord.updateMany(ofIds(tenant, ids), { $unset: { keyId: 1, data: 1 } });
        await removeIndexed(tenant, ids);
        return ids.length;
      },
      // A transcript that is gone is not found again.
      removeRest: removeIndexed,
    },
  ];
}
