import type { ClientSession, Model } from 'mongoose';
import { rawCollection, untypedCollection } from '../../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ConvertibleCollection } from '../../privacy/field-conversion.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { windowOf } from '../../privacy/personal-scan.ts';
import { bucketOfPart } from './postings.ts';
import {
  appending,
  groupOf,
  hasHashedBucket,
  hashedBucket,
  hasWords,
  postingsId,
} from './postings-documents.ts';
import { POSTINGS_FIELDS, type PostingsDoc } from './search-index.model.ts';

/** Documents per transaction: one has up to some megabytes. */
const MOVED_AT_ONCE = 20;

/** A document in its stored form, and in the form of the setting. */
interface Move {
  from: string;
  to: PostingsDoc;
}

/**
 * Converts the search index to the setting. The id of a document names its bucket, so that a conversion moves the
 * document; in a transaction, so that it is stored once, whatever is killed, and that no part that the indexer appends
 * meanwhile is lost. Searches read both ids.
 */
export function convertiblePostings(
  { MeetingPostings }: { MeetingPostings: Model<PostingsDoc> },
  encryption: FieldEncryption,
): ConvertibleCollection {
  const collection = rawCollection(MeetingPostings);

  /** Returns moves to the form of the setting, without the documents that cannot be decrypted. */
  async function movesOf(tenant: TenantRef, stored: PostingsDoc[]): Promise<Move[]> {
    const hash = await encryption.storedHashing(tenant);
    const plain = await encryption.decryptReadable(POSTINGS_FIELDS, stored);
    const moved = plain.map(({ _id, customerId, parts }) => {
      const bucket = bucketOfPart(parts[0]?.buffer as Buffer);
      const name = hash ? hashedBucket(hash, bucket) : bucket;
      return { _id: postingsId(tenant, name, groupOf(_id)), customerId, parts };
    });
    const converted = await encryption.encrypt(POSTINGS_FIELDS, moved);
    return converted.map((to, index) => ({ from: plain[index]?._id ?? to._id, to }));
  }

  const move = (tenant: TenantRef, ids: string[]) => {
    const { customerId } = tenant;
    const work = async (session: ClientSession): Promise<{ converted: number; unreadable: number }> => {
      const stored = await collection.find({ customerId, _id: { $in: ids } }, { session }).toArray();
      const moves = await movesOf(tenant, stored);
      if (moves.length > 0) {
        await collection.deleteMany({ customerId, _id: { $in: moves.map(({ from }) => from) } }, { session });
        await collection.bulkWrite(
          moves.map(({ to }) => appending(to)),
          { session, ordered: false },
        );
      }
      return { converted: moves.length, unreadable: stored.length - moves.length };
    };
    return MeetingPostings.db.withSession((session) => session.withTransaction(() => work(session)));
  };

  return {
    collection: POSTINGS_FIELDS.collection,
    async convert(window) {
      const found = await scanIds(untypedCollection(MeetingPostings), {
        ...windowOf(POSTINGS_FIELDS.scan, window),
        match: {},
      });
      const ids = found.ids.filter((id) => hasWords(id) && hasHashedBucket(id) !== encryption.isOn);
      const total = { converted: 0, unreadable: 0, skipped: 0, next: found.next };
      for (let from = 0; from < ids.length; from += MOVED_AT_ONCE) {
        const { converted, unreadable } = await move(window.tenant, ids.slice(from, from + MOVED_AT_ONCE));
        total.converted += converted;
        total.unreadable += unreadable;
      }
      return total;
    },
  };
}
