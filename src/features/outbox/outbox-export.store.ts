import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { scanIds, scanWindow } from '../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../privacy/erasure-step.ts';
import { type ExportScope, type ExportSource, NO_ROWS } from '../privacy/export-source.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { decryptedRows } from '../privacy/personal-scan.ts';
import { EVENT_WINDOW, scanTypes } from './event-scan.ts';
import { typeNameOf } from './event-type.ts';
import { BY_TYPE, EVENT_FIELDS, type EventDoc } from './outbox-event.model.ts';
import {
  ARCHIVE_BY_CONVERSATION,
  ARCHIVED_EVENT_FIELDS,
  type ArchivedEventDoc,
} from './timeline-archive.model.ts';

const WINDOW = 1_000;
/** Payloads that are in memory together. */
const BATCH_SIZE = 100;

/** Reads the ids of the conversations in a window of a scope. */
export type ScopedConversations = (
  scope: ExportScope,
  after: unknown,
) => Promise<{ ids: string[]; next: unknown }>;

const toRow = (event: EventDoc | ArchivedEventDoc): object => ({
  id: event._id.toHexString(),
  event: typeNameOf(event),
  conversationId: event.conversationId ?? null,
  createdAt: event.createdAt,
  payload: JSON.parse(event.payload) as object,
});

/** What exports have of events. */
export function outboxExportStore({ Event }: { Event: Model<EventDoc> }, encryption: FieldEncryption) {
  const collection = rawCollection(Event) as unknown as mongo.Collection;

  return {
    /** Returns the ids of the next events of a tenant. */
    scanAll: ({ customerId }: TenantRef, position: unknown) =>
      scanTypes(position, (event, after) =>
        scanIds(collection, {
          of: { customerId, event },
          by: '_id',
          hint: BY_TYPE,
          after,
          size: EVENT_WINDOW,
          match: {},
        }),
      ),

    /** Streams events. */
    async *read({ customerId }: TenantRef, ids: readonly string[]): AsyncGenerator<object> {
      const found = Event.find({ customerId, _id: { $in: objectIdsOf(ids) } })
        .sort({ _id: 1 })
        .lean<EventDoc>()
        .cursor({ batchSize: BATCH_SIZE });
      for await (const event of decryptedRows(encryption, EVENT_FIELDS, found)) {
        const { source, filteredOut } = event;
        yield {
          ...toRow(event),
          ...(source && {
            source: {
              visitorId: source.visitorId,
              occurredAt: source.occurredAt,
              properties: source.properties === null ? null : (JSON.parse(source.properties) as object),
            },
          }),
          ...(filteredOut && { filteredOut }),
        };
      }
    },
  };
}

export type OutboxExportStore = ReturnType<typeof outboxExportStore>;

/** What exports have of the events in the timelines of conversations that retention has removed. */
export function archivedEventExport(
  { ArchivedEvent }: { ArchivedEvent: Model<ArchivedEventDoc> },
  { conversations, encryption }: { conversations: ScopedConversations; encryption: FieldEncryption },
): ExportSource {
  const archive = rawCollection(ArchivedEvent) as unknown as mongo.Collection;
  const rowsOf = async (found: ArchivedEventDoc[]) =>
    (await encryption.decryptReadable(ARCHIVED_EVENT_FIELDS, found)).map(toRow);

  return {
    kind: 'archivedEvents',
    collections: ['conversationTimelines'],
    of: 'both',
    async read(scope, after) {
      const { customerId } = scope.tenant;
      if (scope.person) {
        const { ids, next } = await conversations(scope, after);
        if (ids.length === 0) return { ...NO_ROWS, next };
        const found = await ArchivedEvent.find({ customerId, conversationId: { $in: ids } })
          .sort({ conversationId: 1, _id: 1 })
          .hint(ARCHIVE_BY_CONVERSATION)
          .lean<ArchivedEventDoc[]>();
        return { rows: await rowsOf(found), next };
      }
      const { found, next } = await scanWindow<ArchivedEventDoc>(archive, {
        of: { customerId },
        by: 'conversationId',
        hint: ARCHIVE_BY_CONVERSATION,
        after,
        size: WINDOW,
        match: {},
        projection: {},
      });
      return { rows: await rowsOf(found), next };
    },
  };
}
