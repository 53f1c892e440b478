import type { Model, mongo } from 'mongoose';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { timeOrder } from '../../../platform/mongo/order.ts';
import { rawCollection } from '../../../platform/mongo/raw.ts';
import type { Owner, TranscriptSegment } from '../meetings.types.ts';
import { keyOf, type MeetingRecords } from './meeting-records.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';

export interface MeetingFilter {
  /** Started at or after. */
  since?: Date;
  /** Words that all have to occur. */
  terms?: string[];
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingTranscript: Model<TranscriptDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** What is read of a meeting: all but the words that it is found by. */
export type StoredMeeting = Omit<MeetingDoc, 'terms'>;

const WITHOUT_TERMS = { terms: 0 } as const;

/** Past mongoose, whose casting would cost more than the write; the types are those of a collection of anything. */
const upsert = (
  { _id, ...fields }: Partial<MeetingDoc | TranscriptDoc | ActivityDoc>,
  onInsert: mongo.Document = {},
): mongo.AnyBulkWriteOperation => ({
  updateOne: {
    filter: { _id: _id as never },
    update: { $set: fields, $setOnInsert: onInsert },
    upsert: true,
  },
});

/** What an `order` has to be within; nothing when it may be anything. */
const within = (since: Date | undefined, before: string | null) =>
  since || before !== null
    ? { order: { ...(since && { $gte: timeOrder(since) }), ...(before !== null && { $lt: before }) } }
    : {};

export function meetingStore({ Meeting, MeetingTranscript, MeetingActivity }: Models) {
  const transcripts = rawCollection(MeetingTranscript);

  const transcriptByKey = coalesced<string, TranscriptSegment[] | null>(async (keys) => {
    const found = await transcripts.find({ _id: { $in: [...new Set(keys)] } }).toArray();
    const index = new Map(found.map(({ _id, transcriptJson }) => [_id, transcriptJson]));
    return keys.map((key) => {
      const json = index.get(key);
      return json === undefined ? null : (JSON.parse(json) as TranscriptSegment[]);
    });
  });

  /** Writes of one collection, each for itself: what is there already is replaced, so writing twice does no harm. */
  async function write<D extends mongo.Document>(
    model: Model<D>,
    operations: mongo.AnyBulkWriteOperation[],
  ): Promise<void> {
    if (operations.length === 0) return;
    const collection = model.collection as unknown as mongo.Collection;
    await collection.bulkWrite(operations, { ordered: false });
  }

  return {
    /**
     * Stores a page's meetings, each once.
     *
     * @param page names run and page, so that storing the page again gives the same answer
     * @returns how many of them were new
     */
    async save(_owner: Owner, records: MeetingRecords[], page: string): Promise<number> {
      if (records.length === 0) return 0;
      // Transcripts go first: a meeting that says it has one has one.
      await write(
        MeetingTranscript,
        records.flatMap(({ transcript }) => (transcript ? [upsert(transcript)] : [])),
      );
      await Promise.all([
        write(
          Meeting,
          records.map(({ meeting: { awaitingTranscript, ...meeting } }) =>
            // One that had a transcript keeps it when the provider gives none any more.
            awaitingTranscript
              ? upsert(meeting, { storedBy: page, awaitingTranscript })
              : upsert({ ...meeting, awaitingTranscript }, { storedBy: page }),
          ),
        ),
        write(
          MeetingActivity,
          records.map(({ activity }) => upsert(activity)),
        ),
      ]);
      return Meeting.countDocuments({
        _id: { $in: records.map(({ meeting }) => meeting._id) },
        storedBy: page,
      });
    },

    /** The oldest one created since then whose transcript has not come; null: none. */
    oldestAwaiting: ({ customerId }: Owner, since: Date) =>
      Meeting.findOne({ customerId, awaitingTranscript: true, createdAt: { $gte: since } }, { createdAt: 1 })
        .sort({ createdAt: 1 })
        .lean<Pick<MeetingDoc, 'createdAt'>>(),

    find: (owner: Owner, recorderMeetingId: string) =>
      Meeting.findOne(
        { _id: keyOf(owner, recorderMeetingId), customerId: owner.customerId },
        WITHOUT_TERMS,
      ).lean<StoredMeeting>(),

    /** @param before order of the row before the first one wanted */
    list: ({ customerId }: Owner, { since, terms }: MeetingFilter, before: string | null, limit: number) =>
      Meeting.find(
        { customerId, ...(terms && { terms: { $all: terms } }), ...within(since, before) },
        WITHOUT_TERMS,
      )
        .sort({ order: -1 })
        .limit(limit)
        .lean<StoredMeeting[]>(),

    /** Null: none has come. Asked for at once they share a query. */
    transcript: (owner: Owner, recorderMeetingId: string) => transcriptByKey(keyOf(owner, recorderMeetingId)),

    activities: (
      { customerId }: Owner,
      personExternalId: string | undefined,
      before: string | null,
      limit: number,
    ) =>
      MeetingActivity.find({
        customerId,
        ...(personExternalId !== undefined && { personExternalId }),
        ...within(undefined, before),
      })
        .sort({ order: -1 })
        .limit(limit)
        .lean<ActivityDoc[]>(),
  };
}

export type MeetingStore = ReturnType<typeof meetingStore>;
