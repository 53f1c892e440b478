import type { OutboxErasureStore } from '../outbox/outbox-erasure.store.ts';
import type { OutboxExportStore, ScopedConversations } from '../outbox/outbox-export.store.ts';
import type { ExportScope, ExportSource } from '../privacy/export-source.ts';
import type { Person } from '../privacy/person.ts';
import type { DeliveryExportStore } from './delivery/delivery-export.store.ts';

interface Deps {
  events: OutboxExportStore;
  /** Finds what the person caused. */
  owned: Pick<OutboxErasureStore, 'scanOwn' | 'ofConversations'>;
  deliveries: DeliveryExportStore;
  conversations: ScopedConversations;
}

/** Position in the events of a person: those of their conversations, and then the others. */
interface PersonalPosition {
  isOfConversations: boolean;
  after: unknown;
}

/** What exports have of events and their deliveries. */
export function eventExport({ events, owned, deliveries, conversations }: Deps): ExportSource[] {
  async function ofPerson(scope: ExportScope, person: Person, position: PersonalPosition | null) {
    const { tenant } = scope;
    const { isOfConversations, after } = position ?? { isOfConversations: true, after: null };
    if (isOfConversations) {
      const { ids: of, next } = await conversations(scope, after);
      const found = of.length > 0 ? await owned.ofConversations(tenant, of) : [];
      return { ids: found.map(({ id }) => id), next: { isOfConversations: next !== null, after: next } };
    }
    const context = { tenant, person, isDryRun: true, awaitsDeliveries: false };
    const { ids, next } = await owned.scanOwn(context, after);
    return { ids, next: next && { isOfConversations, after: next } };
  }

  return [
    {
      kind: 'events',
      collections: ['webhookEvents'],
      of: 'both',
      columns: ['id', 'event', 'conversationId', 'createdAt', 'payload'],
      async read(scope, after) {
        const { tenant, person } = scope;
        const { ids, next } = person
          ? await ofPerson(scope, person, after as PersonalPosition | null)
          : await events.scanAll(tenant, after);
        return { rows: events.read(tenant, ids), next };
      },
    },
    {
      kind: 'deliveries',
      collections: ['webhookDeliveries'],
      of: 'both',
      columns: [
        ...['id', 'eventId', 'event', 'endpointId', 'status', 'attempt', 'createdAt', 'lastAttemptAt'],
        ...['nextRetryAt', 'responseStatus', 'error', 'durationMs'],
      ],
      async read(scope, after) {
        const { tenant, person } = scope;
        if (!person) {
          const { ids, next } = await deliveries.scanAll(tenant, after);
          return { rows: deliveries.read(tenant, ids), next };
        }
        const { ids, next } = await ofPerson(scope, person, after as PersonalPosition | null);
        return { rows: deliveries.readOfEvents(tenant, ids), next };
      },
    },
  ];
}
