import type { Model, mongo, Types } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { untypedCollection } from '../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { type ExportScope, type ExportSource, NO_ROWS, type PersonScope } from '../privacy/export-source.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { anyOf } from '../privacy/mentions.ts';
import { type PersonalPosition, readOfPerson } from '../privacy/person-export.ts';
import { decryptedRows, personalCollection, scanPersonal } from '../privacy/personal-scan.ts';
import { namesPerson, payloadsNaming } from './event-people.ts';
import { EVENT_WINDOW, scanTypes } from './event-scan.ts';
import { typeNameOf } from './event-type.ts';
import { BY_CONVERSATION, BY_TYPE, EVENT_FIELDS, type EventDoc } from './outbox-event.model.ts';
import {
  ARCHIVE_BY_CONVERSATION,
  ARCHIVED_EVENT_FIELDS,
  type ArchivedEventDoc,
} from './timeline-archive.model.ts';

const WINDOW = 1_000;
/** Payloads that are in memory together. */
const BATCH_SIZE = 100;

/** The conversations of an export. */
export interface ScopedConversations {
  /** Reads the ids of a window. */
  ids(scope: ExportScope, after: unknown): Promise<{ ids: string[]; next: unknown }>;
  /** Returns which of the conversations belong to the person. */
  ownAmong(scope: PersonScope, conversationIds: readonly string[]): Promise<Set<string>>;
}

interface Deps {
  conversations: ScopedConversations;
  encryption: FieldEncryption;
}

const toRow = (event: EventDoc | ArchivedEventDoc): object => ({
  id: event._id.toHexString(),
  event: typeNameOf(event),
  conversationId: event.conversationId ?? null,
  createdAt: event.createdAt,
  payload: JSON.parse(event.payload) as object,
});

/** Returns the ids of the events that belong to no conversation of the person. */
async function idsOutside(
  events: mongo.Collection,
  { scope, ids, conversations }: { scope: PersonScope; ids: readonly string[] } & Pick<Deps, 'conversations'>,
): Promise<string[]> {
  const { customerId } = scope.tenant;
  const found = await events
    .find(
      { _id: { $in: objectIdsOf(ids) }, customerId },
      { projection: { conversationId: 1 }, hint: { _id: 1 }, ...READ_LIMIT },
    )
    .sort({ _id: 1 })
    .toArray();
  const named = found.flatMap(({ conversationId }) => (conversationId as string | undefined) ?? []);
  const own = await conversations.ownAmong(scope, [...new Set(named)]);
  return found
    .filter(({ conversationId }) => !own.has(conversationId as string))
    .map(({ _id }) => String(_id));
}

/** Reads events for exports. */
export function outboxExportStore(
  { Event }: { Event: Model<EventDoc> },
  { conversations, encryption }: Deps,
) {
  const events = untypedCollection(Event);

  async function* rowsOf(found: AsyncIterable<EventDoc>): AsyncGenerator<object> {
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
  }

  return {
    /** Returns the ids of the next events of a tenant. */
    scanAll: ({ customerId }: TenantRef, position: unknown) =>
      scanTypes(position, (event, after) =>
        scanIds(events, {
          of: { customerId, event },
          by: '_id',
          hint: BY_TYPE,
          after,
          size: EVENT_WINDOW,
          match: {},
        }),
      ),

    /** Returns the ids of those events that belong to no conversation of the person. */
    outside: (scope: PersonScope, ids: readonly string[]) =>
      idsOutside(events, { scope, ids, conversations }),

    /** Streams events. */
    read: ({ customerId }: TenantRef, ids: readonly string[]) =>
      rowsOf(
        Event.find({ customerId, _id: { $in: objectIdsOf(ids) } })
          .sort({ _id: 1 })
          .lean<EventDoc>()
          .cursor({ batchSize: BATCH_SIZE }),
      ),

    /** Streams the events of conversations. */
    readOfConversations: ({ customerId }: TenantRef, conversationIds: readonly string[]) =>
      rowsOf(
        Event.find({ conversationId: { $in: [...conversationIds] }, customerId })
          .sort({ conversationId: 1, _id: 1 })
          .hint(BY_CONVERSATION)
          .lean<EventDoc>()
          .cursor({ batchSize: BATCH_SIZE }),
      ),

    /** Streams the ids of the events of conversations, `EVENT_WINDOW` at a time. */
    async *idsOfConversations(
      { customerId }: TenantRef,
      conversationIds: readonly string[],
    ): AsyncGenerator<string[]> {
      const found = events.find(
        { conversationId: { $in: [...conversationIds] }, customerId },
        { projection: { _id: 1 }, hint: BY_CONVERSATION, batchSize: EVENT_WINDOW },
      );
      let ids: string[] = [];
      for await (const { _id } of found) {
        if (ids.push(String(_id)) < EVENT_WINDOW) continue;
        yield ids;
        ids = [];
      }
      if (ids.length > 0) yield ids;
    },
  };
}

export type OutboxExportStore = ReturnType<typeof outboxExportStore>;

/** Position in the archive, by its index. */
interface ArchivePosition {
  conversationId: string;
  id: Types.ObjectId;
}

/** Source of the events that retention has removed, which the timelines of conversations keep. */
export function archivedEventExport(
  { ArchivedEvent }: { ArchivedEvent: Model<ArchivedEventDoc> },
  { conversations, encryption }: Deps,
): ExportSource {
  const archive = personalCollection(ArchivedEvent, ARCHIVED_EVENT_FIELDS, encryption);

  /** Returns the ids of the next events of a tenant. */
  async function scanAll({ customerId }: TenantRef, after: ArchivePosition | null) {
    const ranges = after
      ? [
          { conversationId: after.conversationId, _id: { $gt: after.id } },
          { conversationId: { $gt: after.conversationId } },
        ]
      : [{}];
    const found: mongo.Document[] = [];
    for (const range of ranges) {
      if (found.length === WINDOW) break;
      const some = archive.collection
        .find(
          { customerId, ...range },
          { projection: { conversationId: 1 }, hint: ARCHIVE_BY_CONVERSATION, ...READ_LIMIT },
        )
        .sort({ conversationId: 1, _id: 1 })
        .limit(WINDOW - found.length);
      found.push(...(await some.toArray()));
    }
    const last = found.length === WINDOW ? found.at(-1) : undefined;
    return {
      ids: found.map(({ _id }) => String(_id)),
      next: last ? { conversationId: last.conversationId, id: last._id } : null,
    };
  }

  async function* rowsOf(filter: Record<string, unknown>, index: Record<string, 1>): AsyncGenerator<object> {
    const found = ArchivedEvent.find(filter)
      .sort(index)
      .hint(index)
      .lean<ArchivedEventDoc>()
      .cursor({ batchSize: BATCH_SIZE });
    for await (const event of decryptedRows(encryption, ARCHIVED_EVENT_FIELDS, found)) yield toRow(event);
  }
  const read = ({ customerId }: TenantRef, ids: readonly string[]) =>
    rowsOf({ customerId, _id: { $in: objectIdsOf(ids) } }, { _id: 1 });

  return {
    kind: 'archivedEvents',
    collections: ['conversationTimelines'],
    subject: 'both',
    async read(scope, after) {
      const { tenant, person } = scope;
      if (!person) {
        const { ids, next } = await scanAll(tenant, after as ArchivePosition | null);
        return { rows: read(tenant, ids), next };
      }
      const ofPerson = { tenant, person };
      return readOfPerson(after as PersonalPosition | null, {
        async ofConversations(position) {
          const { ids, next } = await conversations.ids(scope, position);
          const filter = { customerId: tenant.customerId, conversationId: { $in: ids } };
          return { rows: rowsOf(filter, ARCHIVE_BY_CONVERSATION), next };
        },
        async ofOthers(position) {
          const match = anyOf(payloadsNaming(person));
          if (!match) return NO_ROWS;
          const { ids, next } = await scanPersonal<ArchivedEventDoc>(archive, {
            ...{ tenant, after: position, size: WINDOW, match, matches: namesPerson(person) },
            projection: { customType: 1 },
          });
          return {
            rows: read(tenant, await idsOutside(archive.collection, { scope: ofPerson, ids, conversations })),
            next,
          };
        },
      });
    },
  };
}
