import type { Model } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { untypedCollection } from '../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import { type ExportSource, NO_ROWS } from '../privacy/export-source.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { decryptedRows } from '../privacy/personal-scan.ts';
import { PREVIEW_EVENT_FIELDS, type PreviewEventDoc, toPreviewEvent } from './preview-event.model.ts';
import { ownEvents } from './preview-event-erasure.store.ts';

const WINDOW = 1_000;
/** Events that are in memory together. */
const BATCH_SIZE = 100;

/** Source of the events of custom types. */
export function previewEventExport(
  { PreviewEvent }: { PreviewEvent: Model<PreviewEventDoc> },
  encryption: FieldEncryption,
): ExportSource {
  const collection = untypedCollection(PreviewEvent);

  async function* read(customerId: number, ids: readonly string[]): AsyncGenerator<object> {
    const found = PreviewEvent.find({ customerId, _id: { $in: objectIdsOf(ids) } })
      .sort({ _id: 1 })
      .lean<PreviewEventDoc>()
      .cursor({ batchSize: BATCH_SIZE });
    for await (const event of decryptedRows(encryption, PREVIEW_EVENT_FIELDS, found))
      yield {
        ...toPreviewEvent(event),
        properties: event.properties === null ? null : (JSON.parse(event.properties) as object),
      };
  }

  return {
    kind: 'previewEvents',
    collections: ['previewEvents'],
    subject: 'both',
    columns: [
      ...['id', 'type', 'goal', 'visitorId', 'conversationId', 'eventId', 'value'],
      ...['occurredAt', 'createdAt', 'properties'],
    ],
    async read({ tenant: { customerId }, person }, after) {
      const match = person ? ownEvents(person) : {};
      if (!match) return NO_ROWS;
      const { ids, next } = await scanIds(collection, {
        ...PREVIEW_EVENT_FIELDS.scan,
        ...{ of: { customerId }, after, size: WINDOW, match },
      });
      return { rows: read(customerId, ids), next };
    },
  };
}
