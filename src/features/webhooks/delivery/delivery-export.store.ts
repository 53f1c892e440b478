import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../../platform/mongo/object-id.ts';
import { rawCollection } from '../../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { decryptedRows } from '../../privacy/personal-scan.ts';
import {
  BY_EVENT,
  DELIVERY_FIELDS,
  type DeliveryDoc,
  LIST_INDEXES,
  toDeliveryDetail,
} from './delivery.model.ts';

const WINDOW = 1_000;
/** Deliveries that are in memory together, with their attempts. */
const BATCH_SIZE = 100;

/** Returns a delivery with its attempts, without the payload, which is the event's. */
function toRow(doc: DeliveryDoc): object {
  const { payload: _, dueAt: __, orderedBy: ___, ...delivery } = toDeliveryDetail(doc, '');
  return delivery;
}

/** Reads deliveries for exports. */
export function deliveryExportStore(
  { Delivery }: { Delivery: Model<DeliveryDoc> },
  encryption: FieldEncryption,
) {
  const collection = rawCollection(Delivery) as unknown as mongo.Collection;

  async function* rowsOf(cursor: AsyncIterable<DeliveryDoc>): AsyncGenerator<object> {
    for await (const doc of decryptedRows(encryption, DELIVERY_FIELDS, cursor)) yield toRow(doc);
  }

  return {
    /** Returns the ids of a tenant's next deliveries. */
    scanAll: ({ customerId }: TenantRef, after: unknown) =>
      scanIds(collection, {
        ...DELIVERY_FIELDS.scan,
        ...{ of: { customerId }, after, size: WINDOW, match: {} },
      }),

    read: ({ customerId }: TenantRef, ids: readonly string[]) =>
      rowsOf(
        Delivery.find({ customerId, _id: { $in: objectIdsOf(ids) } })
          .sort({ _id: 1 })
          .hint(LIST_INDEXES.all)
          .lean<DeliveryDoc>()
          .cursor({ batchSize: BATCH_SIZE }),
      ),

    readOfEvents: ({ customerId }: TenantRef, eventIds: readonly string[]) =>
      rowsOf(
        Delivery.find({ customerId, eventId: { $in: objectIdsOf(eventIds) } })
          .sort({ eventId: 1, endpointId: 1 })
          .hint(BY_EVENT)
          .lean<DeliveryDoc>()
          .cursor({ batchSize: BATCH_SIZE }),
      ),
  };
}

export type DeliveryExportStore = ReturnType<typeof deliveryExportStore>;
