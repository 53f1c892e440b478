import type { Models } from '../database.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import type { OutgoingEvent } from '../features/webhooks/outbox.ts';
import type { RetryDelays } from '../features/webhooks/schedule.ts';
import { type AttemptResult, cancellation, type Settlement, settle } from '../features/webhooks/settle.ts';
import type { DeliveryDoc, EventDoc } from '../features/webhooks/webhooks.model.ts';
import type { Expansion } from '../platform/mongo/committer.ts';
import { newObjectId } from '../platform/mongo/object-id.ts';
import { insertion } from '../platform/mongo/write.ts';
import type { Services } from '../services.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Age of the oldest event that is stored: within the default retention. */
const MAX_EVENT_AGE_MS = 29 * DAY_MS;
const ENDPOINT_AGE_MS = 14 * DAY_MS;
/** Time since the endpoint was disabled: nothing is sent during the demo. */
const DISABLED_FOR_MS = 6 * HOUR_MS;
/** Time from an event to its first attempt. */
const FIRST_ATTEMPT_AFTER_MS = 200;

/** The demo tenant's endpoint, which was disabled after it had received events for some days. */
export interface DemoEndpoint {
  id: number;
  createdAt: Date;
  disabledAt: Date;
}

const DESCRIPTION = 'Sample receiver, disabled: start `engagement receiver --port 9000`, then enable it';

/** Returns the demo endpoint; null if the tenant does not have it. */
export async function findDemoEndpoint(models: Models, { customerId }: Tenant): Promise<DemoEndpoint | null> {
  const found = await models.Endpoint.findOne({ customerId, description: DESCRIPTION }).lean();
  return found && { id: found.id, createdAt: found.createdAt, disabledAt: found.updatedAt };
}

export async function createDemoEndpoint({
  services,
  models,
  tenant,
  now,
}: {
  services: Services;
  models: Models;
  tenant: Tenant;
  now: Date;
}): Promise<DemoEndpoint> {
  const { endpoint } = await services.endpoints.create(tenant, {
    url: 'http://127.0.0.1:9000/webhooks',
    description: DESCRIPTION,
  });
  await services.endpoints.update(tenant, endpoint.id, { enabled: false });
  const createdAt = new Date(now.getTime() - ENDPOINT_AGE_MS);
  const disabledAt = new Date(now.getTime() - DISABLED_FOR_MS);
  await models.Endpoint.updateOne({ id: endpoint.id }, { $set: { createdAt, updatedAt: disabledAt } });
  return { id: endpoint.id, createdAt, disabledAt };
}

interface HistoryDeps {
  models: Models;
  now: Date;
  retryDelaysMs: RetryDelays;
  /** Null: events are stored without deliveries. */
  endpoint: DemoEndpoint | null;
}

/** Returns the committer's `expand` for past events: stores them with their finished deliveries and sends nothing. */
export function createDeliveryHistory({ models, now, retryDelaysMs, endpoint }: HistoryDeps) {
  const oldest = new Date(now.getTime() - MAX_EVENT_AGE_MS);
  let deliveries = 0;

  return async function expand(events: OutgoingEvent[]): Promise<Expansion> {
    const writes = events
      .filter(({ id }) => id.getTimestamp() > oldest)
      .flatMap((event) => {
        const createdAt = event.id.getTimestamp();
        const stored = insertion<EventDoc>(models.Event, toEventDoc(event, createdAt));
        if (!endpoint || createdAt <= endpoint.createdAt) return [stored];
        deliveries += 1;
        const delivery = simulateDelivery(event, endpoint, {
          createdAt,
          failures: failuresOf(deliveries),
          durationMs: 30 + ((deliveries * 37) % 160),
          retryDelaysMs,
        });
        return [stored, insertion<DeliveryDoc>(models.Delivery, delivery)];
      });
    return { writes, committed() {}, aborted() {} };
  };
}

const toEventDoc = ({ id, tenant, event, payload, conversationId }: OutgoingEvent, createdAt: Date) => ({
  _id: id,
  customerId: tenant.customerId,
  event,
  payload,
  ...(conversationId === null ? {} : { conversationId }),
  createdAt,
});

/** Failed attempts of the n-th delivery before the receiver accepts it. */
function failuresOf(n: number): number {
  if (n % 17 === 9) return Number.POSITIVE_INFINITY;
  if (n % 13 === 4) return 2;
  return n % 6 === 3 ? 1 : 0;
}

interface DeliveryPlan {
  createdAt: Date;
  failures: number;
  durationMs: number;
  retryDelaysMs: RetryDelays;
}

/** Runs a delivery through the state machine of the webhooks feature until it is terminal. */
function simulateDelivery(
  { id: eventId, tenant, event }: OutgoingEvent,
  endpoint: DemoEndpoint,
  { createdAt, failures, durationMs, retryDelaysMs }: DeliveryPlan,
): DeliveryDoc {
  const delivery: DeliveryDoc = {
    _id: newObjectId(createdAt),
    customerId: tenant.customerId,
    endpointId: endpoint.id,
    eventId,
    event,
    status: 'pending',
    attempt: 0,
    nextRetryAt: null,
    createdAt,
    lastAttemptAt: null,
    responseStatus: null,
    error: null,
    durationMs: null,
    attempts: [],
    lane: 'inline',
  };
  let dueAt = new Date(createdAt.getTime() + FIRST_ATTEMPT_AFTER_MS);
  while (!delivery.finishedAt) {
    if (dueAt > endpoint.disabledAt) {
      const disabledAt = createdAt > endpoint.disabledAt ? createdAt : endpoint.disabledAt;
      update(delivery, cancellation(delivery, disabledAt));
      return delivery;
    }
    delivery.attempt += 1;
    for (let startsNext = true; startsNext; ) {
      const now = new Date(dueAt.getTime() + durationMs);
      const result = resultOf(delivery.attempts.length >= failures, dueAt, durationMs);
      const settlement = settle(delivery, result, { now, delays: retryDelaysMs, random: 0.5, leaseEnd: now });
      update(delivery, settlement.change);
      startsNext = settlement.again;
      dueAt = delivery.dueAt ?? now;
    }
  }
  return delivery;
}

const resultOf = (accepted: boolean, at: Date, durationMs: number): AttemptResult => ({
  at,
  responseStatus: accepted ? 200 : 503,
  responseBody: accepted ? 'ok' : 'try again later',
  error: accepted ? null : 'http_503',
  durationMs,
  retryAfter: undefined,
});

/** Applies an update of the queue to a delivery that is not stored yet. */
function update(delivery: DeliveryDoc, { $set, $unset, $push }: Settlement['change']): void {
  Object.assign(delivery, $set);
  for (const field of Object.keys($unset ?? {})) delete (delivery as Partial<DeliveryDoc>)[field as 'dueAt'];
  delivery.attempts.push(...($push?.attempts.$each ?? []));
}
