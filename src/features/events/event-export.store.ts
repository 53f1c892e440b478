import type { Model, mongo } from 'mongoose';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { scanWindow } from '../../platform/mongo/scan-window.ts';
import { type ExportSource, NO_ROWS } from '../privacy/export-source.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { ownEvents } from './event-erasure.store.ts';
import { PREVIEW_EVENT_FIELDS, type PreviewEventDoc, toPreviewEvent } from './events.model.ts';

const WINDOW = 1_000;

/** What an export has of events of custom types. */
export function customEventExport(
  { PreviewEvent }: { PreviewEvent: Model<PreviewEventDoc> },
  encryption: FieldEncryption,
): ExportSource {
  const collection = rawCollection(PreviewEvent) as unknown as mongo.Collection;

  return {
    kind: 'previewEvents',
    collections: ['previewEvents'],
    of: 'both',
    columns: [
      ...['id', 'type', 'goal', 'visitorId', 'conversationId', 'eventId', 'value'],
      ...['occurredAt', 'createdAt', 'properties'],
    ],
    async read({ tenant: { customerId }, person }, after) {
      const match = person ? ownEvents(person) : {};
      if (!match) return NO_ROWS;
      const { found, next } = await scanWindow<PreviewEventDoc>(collection, {
        of: { customerId },
        by: '_id',
        hint: { customerId: 1, _id: 1 },
        after,
        size: WINDOW,
        match,
        projection: {},
      });
      const events = await encryption.decryptReadable(PREVIEW_EVENT_FIELDS, found);
      const rows = events.map((event) => ({
        ...toPreviewEvent(event),
        properties: event.properties === null ? null : (JSON.parse(event.properties) as object),
      }));
      return { rows, next };
    },
  };
}
