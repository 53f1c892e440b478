import { LRUCache } from 'lru-cache';
import type { Changes } from '../../../platform/mongo/change-stream.ts';
import type { OutboxEventStore } from '../../outbox/outbox-event.store.ts';
import { UNREADABLE_JSON } from '../../privacy/personal-fields.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import { type DeliveryDoc, toDelivery, toDeliveryDetail } from './delivery.model.ts';
import type { DeliveryStore } from './delivery.store.ts';
import type { WebhookDelivery, WebhookDeliveryDetail } from './delivery.types.ts';

/** Payloads kept for the changes of an event's deliveries, which follow within seconds. */
const MAX_PAYLOADS = 100;
/** Milliseconds after which a payload is read again: an erasure can have changed or removed it. */
const PAYLOAD_TTL_MS = 5_000;

/** A delivery as of one change; all subscribers share the object. */
export interface ChangedDelivery extends WebhookDelivery {
  /** Returns the detail as of the same change; null once retention has removed the event. */
  detail(): Promise<WebhookDeliveryDetail | null>;
}

interface Deps {
  changes: Changes;
  events: Pick<OutboxEventStore, 'viewPayload'>;
  deliveries: Pick<DeliveryStore, 'decrypt'>;
}

/** Publishes changes of deliveries, of every process, to subscribers. */
export function createDeliveryFeed({ changes, events, deliveries }: Deps) {
  const changed = new WeakMap<DeliveryDoc, ChangedDelivery>();
  const payloads = new LRUCache<string, string, DeliveryDoc>({
    max: MAX_PAYLOADS,
    ttl: PAYLOAD_TTL_MS,
    async fetchMethod(_id, _stale, { context: { customerId, eventId }, options }) {
      const payload = (await events.viewPayload({ customerId }, eventId)) ?? undefined;
      // It is readable again once the key is there.
      if (payload === UNREADABLE_JSON) options.ttl = 1;
      return payload;
    },
  });

  function toChanged(document: DeliveryDoc): ChangedDelivery {
    const known = changed.get(document);
    if (known) return known;
    const delivery: ChangedDelivery = {
      ...toDelivery(document),
      async detail() {
        const payload = await payloads.fetch(delivery.eventId, { context: document });
        if (payload === undefined) return null;
        const decrypted = await deliveries.decrypt(document);
        return decrypted && toDeliveryDetail(decrypted, payload);
      },
    };
    changed.set(document, delivery);
    return delivery;
  }

  return {
    subscribe(
      principal: Principal,
      tenant: Tenant,
      { endpointId, ...position }: FeedPosition & { endpointId: number | undefined },
    ): Promise<Feed<ChangedDelivery>> {
      return tenantFeed<DeliveryDoc, ChangedDelivery>(changes, {
        collection: 'webhookDeliveries',
        principal,
        tenant,
        filter: endpointId === undefined ? {} : { endpointId },
        convert: toChanged,
        ...position,
      });
    },
  };
}

export type DeliveryFeed = ReturnType<typeof createDeliveryFeed>;
