import { type Model, Types } from 'mongoose';
import { insertion, type Write } from '../../platform/commit/unit-of-work.ts';
import { createdIn } from '../../platform/mongo/created-in.ts';
import { BY_ID, byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { firstObjectIdOf, isObjectIdText } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { BY_TENANT, PREVIEW_EVENT_FIELDS, type PreviewEventDoc } from './preview-event.model.ts';
import type { CustomEventFilter } from './preview-event.types.ts';

interface Models {
  PreviewEvent: Model<PreviewEventDoc>;
}

interface IdRange {
  /** Last event of the previous page; null for the first page. */
  before: string | null;
  limit: number;
}

export const previewEventStore = ({ PreviewEvent }: Models, encryption: FieldEncryption) => ({
  insertions: async (events: PreviewEventDoc[]): Promise<Write[]> =>
    (await encryption.encrypt(PREVIEW_EVENT_FIELDS, events)).map((event) => insertion(PreviewEvent, event)),

  /** Counts up to `limit`. */
  count: ({ customerId }: TenantRef, limit: number) =>
    PreviewEvent.countDocuments({ customerId }, { limit, hint: BY_TENANT }),

  /** Returns true if the tenant has an event of a custom type with this id. */
  exists: async ({ customerId }: Tenant, id: string): Promise<boolean> =>
    isObjectIdText(id) &&
    (await PreviewEvent.findOne({ _id: new Types.ObjectId(id), customerId }, { _id: 1 }).lean()) !== null,

  /** Returns events of custom types, newest first. */
  list: async ({ customerId }: Tenant, filter: CustomEventFilter, { before, limit }: IdRange) =>
    encryption.decryptForView(
      PREVIEW_EVENT_FIELDS,
      await PreviewEvent.find({
        customerId,
        ...(filter.type !== undefined && { type: filter.type }),
        ...(filter.visitorId !== undefined && { visitorId: filter.visitorId }),
        ...createdIn(filter, { before }),
      })
        .sort({ _id: -1 })
        // Otherwise the database may choose the index on `_id` and read the rows of all tenants.
        .hint({
          customerId: 1,
          ...(filter.visitorId !== undefined && { visitorId: 1 }),
          ...(filter.type !== undefined && { type: 1 }),
          _id: 1,
        })
        .limit(limit)
        .lean<PreviewEventDoc[]>(),
    ),

  /** Returns the oldest events of all tenants accepted before a time, to the second. */
  olderThan: (before: Date, limit: number) =>
    PreviewEvent.find({ _id: { $lt: firstObjectIdOf(before) } }, { customerId: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<DocumentRef[]>(),

  remove: async (events: readonly DocumentRef[]): Promise<number> =>
    (await PreviewEvent.collection.deleteMany(byIds(events), { hint: BY_ID })).deletedCount,
});

export type PreviewEventStore = ReturnType<typeof previewEventStore>;
