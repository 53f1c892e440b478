import type { Models } from '../database.ts';
import type { EventDoc } from '../features/outbox/outbox-event.model.ts';
import type { OutboxEvent } from '../features/outbox/outbox-event.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import type { DeliveryDoc } from '../features/webhooks/delivery/delivery.model.ts';
import type { StoredAttempt } from '../features/webhooks/delivery/delivery.types.ts';
import { newObjectId } from '../platform/mongo/object-id.ts';
import type { Services } from '../services.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago: the oldest event that is still kept, the endpoint's creation, and when it was switched off. */
const KEPT = 29 * DAY;
const CREATED = 14 * DAY;
const SWITCHED_OFF = 6 * HOUR;

/** When each attempt of a delivery came after the event (specification, "States and transitions"). */
const ATTEMPTS_AFTER = [200, 450, 5 * MINUTE, 35 * MINUTE, 155 * MINUTE];

/**
 * An endpoint that was switched off, so that nothing is sent anywhere, and what it got of the demo's events until
 * then: most delivered at once, some after a retry, a few given up, and what came later cancelled.
 */
export async function seedWebhooks(
  services: Services,
  models: Models,
  tenant: Tenant,
  happened: OutboxEvent[],
  now: Date,
): Promise<void> {
  const { endpoint } = await services.endpoints.create(tenant, {
    url: 'http://127.0.0.1:9000/webhooks',
    description: 'Sample receiver, switched off: `engagement receiver` listens there',
  });
  await services.endpoints.update(tenant, endpoint.id, { enabled: false });
  const ago = (span: number) => new Date(now.getTime() - span);
  const createdAt = ago(CREATED);
  const switchedOff = ago(SWITCHED_OFF);
  await models.Endpoint.updateOne({ id: endpoint.id }, { $set: { createdAt, updatedAt: switchedOff } });

  const timeOf = ({ id }: OutboxEvent): Date => id.getTimestamp();
  const kept = happened
    .filter((event) => timeOf(event) > ago(KEPT))
    .sort((a, b) => timeOf(a).getTime() - timeOf(b).getTime());
  const delivered = kept.filter((event) => timeOf(event) > createdAt);
  await models.Event.insertMany(
    kept.map(
      ({ id, event, payload, conversationId }): EventDoc => ({
        _id: id,
        customerId: tenant.customerId,
        event,
        payload,
        ...(conversationId === null ? {} : { conversationId }),
        createdAt: id.getTimestamp(),
      }),
    ),
    { lean: true },
  );
  await models.Delivery.insertMany(
    delivered.map((event, n) =>
      deliveryOf(event, endpoint.id, n, { at: timeOf(event), switchedOff, customerId: tenant.customerId }),
    ),
    { lean: true },
  );
}

/** How many attempts the n-th delivery took, and whether the last one succeeded. */
function fateOf(n: number): { attempts: number; delivered: boolean } {
  if (n % 17 === 9) return { attempts: 5, delivered: false };
  if (n % 13 === 4) return { attempts: 3, delivered: true };
  return { attempts: n % 6 === 3 ? 2 : 1, delivered: true };
}

/** What became of an event of the past. */
function deliveryOf(
  { id: eventId, event }: OutboxEvent,
  endpointId: number,
  n: number,
  { at, switchedOff, customerId }: { at: Date; switchedOff: Date; customerId: number },
): DeliveryDoc {
  const { attempts: count, delivered } = fateOf(n);
  const whens = ATTEMPTS_AFTER.slice(0, count).map((after) => new Date(at.getTime() + after));
  const made = whens.filter((when) => when < switchedOff);
  const attempts = made.map((when, index): StoredAttempt => {
    const failed = !delivered || index < count - 1;
    return {
      at: when,
      manual: false,
      responseStatus: failed ? 503 : 200,
      responseBody: failed ? 'try again later' : 'ok',
      error: failed ? 'http_503' : null,
      durationMs: 30 + ((n * 37) % 160),
    };
  });
  const last = attempts.at(-1);
  const cancelled = made.length < count;
  return {
    _id: newObjectId(at),
    customerId,
    endpointId,
    eventId,
    event,
    status: cancelled ? 'cancelled' : delivered ? 'succeeded' : 'failed',
    attempt: attempts.length,
    nextRetryAt: null,
    createdAt: at,
    lastAttemptAt: last?.at ?? null,
    responseStatus: last?.responseStatus ?? null,
    error: last?.error ?? null,
    durationMs: last?.durationMs ?? null,
    attempts,
    lane: count > 2 ? 'scheduled' : 'inline',
    finishedAt: cancelled ? maxOf(at, switchedOff) : (last?.at ?? at),
  };
}

const maxOf = (a: Date, b: Date): Date => (a > b ? a : b);
