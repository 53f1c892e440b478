import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import type { Changes } from '../../platform/mongo/changes.ts';
import type { StoredApiKey } from '../tenants/tenants.store.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import { toDelivery } from './views.ts';
import type { DeliveryDoc } from './webhooks.model.ts';
import type { WebhookDelivery } from './webhooks.types.ts';

/** Updates kept for a subscriber that reads slowly; past that the oldest are left out. */
const MAX_BEHIND = 1_000;

/** Deliveries as they change, whichever process changed them. */
export function createDeliveryFeed(changes: Changes) {
  return {
    /** Ends when the reader stops, and when the key it was opened with is revoked or expires. */
    subscribe(
      principal: Principal,
      tenant: Tenant,
      filter: { endpointId?: number },
    ): Repeater<WebhookDelivery> {
      return new Repeater<WebhookDelivery>(async (push, stop) => {
        const stopDeliveries = changes.listen<DeliveryDoc>('webhookDeliveries', (delivery) => {
          if (delivery.customerId !== tenant.customerId) return;
          if (filter.endpointId !== undefined && filter.endpointId !== delivery.endpointId) return;
          void push(toDelivery(delivery));
        });
        const stopKeys = changes.listen<StoredApiKey>('apiKeys', (key) => {
          if (key._id.toHexString() === principal.keyId && key.revokedAt) stop();
        });
        const expiry = principal.expiresAt && setTimeout(stop, untilExpiry(principal.expiresAt));
        await stop;
        stopDeliveries();
        stopKeys();
        if (expiry) clearTimeout(expiry);
      }, new SlidingBuffer(MAX_BEHIND));
    },
  };
}

export type DeliveryFeed = ReturnType<typeof createDeliveryFeed>;

/** Node's timers hold 24 days at most; a subscription that lives longer may as well be opened again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const untilExpiry = (expiresAt: Date): number => Math.min(expiresAt.getTime() - Date.now(), MAX_TIMER_MS);
