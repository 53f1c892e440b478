import type { Model, mongo } from 'mongoose';
import { AppError } from '../../../errors/app-error.ts';
import { rawCollection, rawReads } from '../../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { replacement } from '../../privacy/personal-fields.ts';
import type { MappedFields } from '../stored-meetings/meeting-views.ts';
import {
  ACTIVITY_FIELDS,
  type ActivityDoc,
  MEETING_FIELDS,
  type MeetingDoc,
} from '../stored-meetings/meetings.model.ts';

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

const MAPPED_FIELDS = {
  customerId: 1,
  recorderMeetingId: 1,
  title: 1,
  startedAt: 1,
  endedAt: 1,
  createdAt: 1,
  participantsJson: 1,
  summaryText: 1,
} as const satisfies Record<keyof MappedFields | 'customerId', 1>;

/** Filter: built by an older mapping, or by an earlier version of the service. */
const olderThan = (version: number) => ({ mappingVersion: { $not: { $gte: version } } });

/** Activities that an older mapping built, and the meetings to build them from again. */
export const outdatedActivityStore = ({ Meeting, MeetingActivity }: Models, encryption: FieldEncryption) => ({
  count: ({ customerId }: TenantRef, version: number): Promise<number> =>
    MeetingActivity.countDocuments({ customerId, ...olderThan(version) }).exec(),

  /** Returns the ids of some of them. */
  async ids({ customerId }: TenantRef, version: number, limit: number): Promise<string[]> {
    const found = await rawReads(MeetingActivity)
      .find({ customerId, ...olderThan(version) })
      .project<Pick<ActivityDoc, '_id'>>({ _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  },

  /**
   * Returns stored meetings by their ids, without those that were modified in the database.
   *
   * @throws AppError `INTERNAL` if this process lacks the key that encrypts them: it can return
   */
  async meetings({ customerId }: TenantRef, ids: string[]): Promise<Map<string, MappedFields>> {
    const found = await rawReads(Meeting)
      .find({ customerId, _id: { $in: ids } })
      .project<MappedFields & Pick<MeetingDoc, '_id' | 'customerId'>>(MAPPED_FIELDS)
      .toArray();
    const meetings = await encryption.decryptReadable(MEETING_FIELDS, found, ({ _id }, reason) => {
      if (reason !== 'unknown_key') return;
      throw new AppError('INTERNAL', `The key that encrypts meeting ${_id} is missing.`);
    });
    return new Map(meetings.map(({ _id, ...meeting }) => [_id, meeting]));
  },

  /**
   * Replaces activities, except those that a sync has meanwhile built by this mapping.
   *
   * @param unchanged ids of activities whose version alone changes
   */
  async replace(
    { customerId }: TenantRef,
    version: number,
    { projected, unchanged }: { projected: Iterable<ActivityDoc>; unchanged: string[] },
  ): Promise<void> {
    const activities = await encryption.encrypt(ACTIVITY_FIELDS, [...projected]);
    const operations: mongo.AnyBulkWriteOperation<ActivityDoc>[] = activities.map(
      ({ _id, customerId: _customerId, ...fields }) => ({
        updateOne: {
          filter: { customerId, _id, ...olderThan(version) },
          update: replacement(ACTIVITY_FIELDS, fields),
        },
      }),
    );
    if (unchanged.length > 0)
      operations.push({
        updateMany: {
          filter: { customerId, _id: { $in: unchanged }, ...olderThan(version) },
          update: { $set: { mappingVersion: version } },
        },
      });
    await rawCollection(MeetingActivity).bulkWrite(operations, { ordered: false });
  },
});

export type OutdatedActivityStore = ReturnType<typeof outdatedActivityStore>;
