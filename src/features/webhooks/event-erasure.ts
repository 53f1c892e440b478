import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { OutboxErasureStore } from '../outbox/outbox-erasure.store.ts';
import {
  addCounts,
  type ConversationData,
  countedAs,
  type ErasureContext,
  type ErasureCounts,
  type ErasureStep,
  type FoundData,
  type PersonalData,
} from '../privacy/erasure-step.ts';
import type { DeliveryErasureStore } from './delivery/delivery-erasure.store.ts';

interface Deps {
  events: OutboxErasureStore;
  deliveries: DeliveryErasureStore;
}

/** Collections that a removal of events reaches. */
const COLLECTIONS = ['webhookEvents', 'webhookDeliveries'];

/** What events and deliveries store about people. An event is removed with its deliveries and their attempts. */
export function eventErasure({ events, deliveries }: Deps): {
  personalData: PersonalData;
  ofConversations: ConversationData;
  hasOpenDeliveries: (tenant: TenantRef) => Promise<boolean>;
} {
  const contents = async (tenant: TenantRef, ids: readonly string[]): Promise<ErasureCounts> =>
    addCounts({ events: ids.length }, await deliveries.count(tenant, ids));

  /** Removes events first: the repair of deliveries that a crash has left out then finds none to insert. */
  async function remove(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await events.remove(tenant, ids);
    await deliveries.removeOfEvents(tenant, ids);
  }

  async function idle({ tenant, awaitsDeliveries }: ErasureContext, ids: string[]) {
    const busy = awaitsDeliveries ? await deliveries.busy(tenant, ids) : new Set<string>();
    return { ids: ids.filter((id) => !busy.has(id)), isWaiting: busy.size > 0 };
  }

  const own: ErasureStep = {
    name: 'events',
    collections: COLLECTIONS,
    idsOf: 'webhookEvents',
    async find(context, after): Promise<FoundData> {
      const { ids: found, next } = await events.scanOwn(context, after);
      const { ids, isWaiting } = await idle(context, found);
      return { ids, counts: await contents(context.tenant, ids), next, isWaiting };
    },
    erase: ({ tenant }, ids) => remove(tenant, ids),
  };

  const mentions: ErasureStep = {
    name: 'eventTexts',
    collections: ['webhookEvents'],
    idsOf: 'webhookEvents',
    findsMentions: true,
    async find(context, after) {
      const { ids: found, next } = await events.scanMentions(context.tenant, context.person, after);
      const { ids, isWaiting } = await idle(context, found);
      return { ...countedAs('redacted_texts', { ids, next }), isWaiting };
    },
    erase: ({ tenant, person }, ids) => events.redact(tenant, person, ids),
  };

  const responses: ErasureStep = {
    name: 'responseBodies',
    collections: ['webhookDeliveries'],
    idsOf: 'webhookDeliveries',
    findsMentions: true,
    async find({ tenant, person }, after) {
      return countedAs('redacted_texts', await deliveries.scanResponses(tenant, person, after));
    },
    erase: ({ tenant, person }, ids) => deliveries.redactResponses(tenant, person, ids),
  };

  return {
    personalData: { steps: [own, mentions, responses] },
    hasOpenDeliveries: deliveries.hasOpen,
    ofConversations: {
      collections: COLLECTIONS,
      count: async (tenant, conversationIds) =>
        contents(
          tenant,
          (await events.ofConversations(tenant, conversationIds)).map(({ id }) => id),
        ),
      async busy(tenant, conversationIds) {
        const found = await events.ofConversations(tenant, conversationIds);
        const busy = await deliveries.busy(
          tenant,
          found.map(({ id }) => id),
        );
        return new Set(found.flatMap(({ id, conversationId }) => (busy.has(id) ? [conversationId] : [])));
      },
      erase: async (tenant, conversationIds) =>
        remove(
          tenant,
          (await events.ofConversations(tenant, conversationIds)).map(({ id }) => id),
        ),
      async suppress(tenant, conversationIds) {
        const ids = (await events.ofConversations(tenant, conversationIds)).map(({ id }) => id);
        await events.suppress(tenant, ids);
        await deliveries.removeResponses(tenant, ids);
      },
    },
  };
}
