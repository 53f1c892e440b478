import type { Repeater } from '@repeaterjs/repeater';
import type { Changes } from '../../../platform/mongo/changes.ts';
import { tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import { type DeliveryDoc, toDelivery } from './delivery.model.ts';
import type { WebhookDelivery } from './delivery.types.ts';

/** Publishes changes of deliveries, of every process, to subscribers. */
export function createDeliveryFeed(changes: Changes) {
  return {
    subscribe(
      principal: Principal,
      tenant: Tenant,
      filter: { endpointId?: number },
    ): Promise<Repeater<WebhookDelivery>> {
      return tenantFeed<DeliveryDoc, WebhookDelivery>(changes, {
        collection: 'webhookDeliveries',
        principal,
        tenant,
        pick: (delivery) =>
          filter.endpointId === undefined || filter.endpointId === delivery.endpointId
            ? toDelivery(delivery)
            : null,
      });
    },
  };
}

export type DeliveryFeed = ReturnType<typeof createDeliveryFeed>;
