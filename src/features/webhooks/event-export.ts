import type { OutboxErasureStore } from '../outbox/outbox-erasure.store.ts';
import type { OutboxExportStore, ScopedConversations } from '../outbox/outbox-export.store.ts';
import type { ExportSource, ExportWindow, PersonScope } from '../privacy/export-source.ts';
import { type PersonalPosition, readOfPerson } from '../privacy/person-export.ts';
import type { DeliveryExportStore } from './delivery/delivery-export.store.ts';

interface Deps {
  events: OutboxExportStore;
  /** Finds what the person caused. */
  owned: Pick<OutboxErasureStore, 'scanOwn'>;
  deliveries: DeliveryExportStore;
  conversations: ScopedConversations;
}

/** Reads the rows of events. */
interface EventRows {
  ofConversations(ids: string[]): ExportWindow['rows'];
  ofEvents(ids: string[]): ExportWindow['rows'];
}

/** Sources of events and their deliveries. */
export function eventExport({ events, owned, deliveries, conversations }: Deps): ExportSource[] {
  const ofPerson = (scope: PersonScope, { position, rows }: { position: unknown; rows: EventRows }) =>
    readOfPerson(position as PersonalPosition | null, {
      async ofConversations(after) {
        const { ids, next } = await conversations.ids(scope, after);
        return { rows: rows.ofConversations(ids), next };
      },
      async ofOthers(after) {
        const context = { ...scope, isDryRun: false, isKnown: true, awaitsDeliveries: false };
        const { ids, next } = await owned.scanOwn(context, after);
        return { rows: rows.ofEvents(await events.outside(scope, ids)), next };
      },
    });

  return [
    {
      kind: 'events',
      collections: ['webhookEvents'],
      subject: 'both',
      columns: ['id', 'event', 'conversationId', 'createdAt', 'payload'],
      async read(scope, after) {
        const { tenant, person } = scope;
        const rows: EventRows = {
          ofConversations: (ids) => events.readOfConversations(tenant, ids),
          ofEvents: (ids) => events.read(tenant, ids),
        };
        if (person) return ofPerson({ tenant, person }, { position: after, rows });
        const { ids, next } = await events.scanAll(tenant, after);
        return { rows: rows.ofEvents(ids), next };
      },
    },
    {
      kind: 'deliveries',
      collections: ['webhookDeliveries'],
      subject: 'both',
      columns: [
        ...['id', 'eventId', 'event', 'endpointId', 'status', 'attempt', 'createdAt', 'lastAttemptAt'],
        ...['nextRetryAt', 'responseStatus', 'error', 'durationMs'],
      ],
      async read(scope, after) {
        const { tenant, person } = scope;
        const rows: EventRows = {
          async *ofConversations(ids) {
            for await (const some of events.idsOfConversations(tenant, ids))
              yield* deliveries.readOfEvents(tenant, some);
          },
          ofEvents: (ids) => deliveries.readOfEvents(tenant, ids),
        };
        if (person) return ofPerson({ tenant, person }, { position: after, rows });
        const { ids, next } = await deliveries.scanAll(tenant, after);
        return { rows: deliveries.read(tenant, ids), next };
      },
    },
  ];
}
