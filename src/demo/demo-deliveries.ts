import type { Models } from '../database/models.ts';
import { storedType } from '../features/outbox/event-type.ts';
import { outboxEventStore } from '../features/outbox/outbox-event.store.ts';
import type { OutboxEvent } from '../features/outbox/outbox-event.ts';
import { NO_ENCRYPTION } from '../features/privacy/field-encryption.ts';
import type { Services } from '../features/services.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import { type DeliveryDoc, newDelivery } from '../features/webhooks/delivery/delivery.model.ts';
import type { RetryDelays, RetryPolicy } from '../features/webhooks/delivery/retry-policy.ts';
import {
  type AttemptResult,
  accept,
  cancel,
  claim,
  settle,
  withoutRetry,
} from '../features/webhooks/delivery/state.ts';
import {
  acceptedFields,
  cancelUpdate,
  claimUpdate,
  type DeliveryUpdate,
  settleUpdate,
  stateOf,
} from '../features/webhooks/delivery/state-updates.ts';
import type {
  Attempted,
  ResultCounter,
  WrittenResult,
} from '../features/webhooks/statistics/result-counter.ts';
import type { Expansion } from '../platform/commit/group.ts';
import { insertion } from '../platform/commit/unit-of-work.ts';
import { newObjectId } from '../platform/mongo/object-id.ts';
import { isDemoReceiver } from './demo-receiver.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum age of a stored event, within the default retention. */
const MAX_EVENT_AGE_MS = 29 * DAY_MS;
const ENDPOINT_AGE_MS = 14 * DAY_MS;
/** Time since the endpoint was disabled: nothing is sent during the demo. */
const DISABLED_FOR_MS = 6 * HOUR_MS;
/** Delay of the first attempt after its event. */
const FIRST_ATTEMPT_AFTER_MS = 200;

/** An endpoint of the demo tenant that has received events for some days. */
export interface DemoEndpoint {
  id: number;
  createdAt: Date;
  /** Null for the endpoint of the demo receiver, which stays enabled. */
  disabledAt: Date | null;
}

/** Event type whose deliveries to the demo receiver fail at every attempt. */
const FAILING_EVENT = 'handoff.requested';

const RECEIVER_DESCRIPTION = 'Demo receiver: rejects every third request with HTTP 503';

/** The disabled endpoint, where webhooks may have private targets, and where they may not. */
const DISABLED_ENDPOINTS = {
  private: {
    url: 'http://127.0.0.1:9000/webhooks',
    description: 'Sample receiver, disabled: start `engagement receiver --port 9000`, then enable it',
  },
  public: {
    url: 'https://hooks.example.com/webhooks',
    description: 'Sample receiver, disabled: set the URL of a receiver of yours, then enable it',
  },
};

/** Returns the disabled demo endpoint; null if the tenant does not have it. */
export async function findDemoEndpoint(models: Models, { customerId }: Tenant): Promise<DemoEndpoint | null> {
  const descriptions = Object.values(DISABLED_ENDPOINTS).map(({ description }) => description);
  const found = await models.Endpoint.findOne({ customerId, description: { $in: descriptions } }).lean();
  return found && { id: found.id, createdAt: found.createdAt, disabledAt: found.updatedAt };
}

interface CreationDeps {
  services: Services;
  models: Models;
  tenant: Tenant;
  now: Date;
}

export async function createDemoEndpoint(
  { services, models, tenant, now }: CreationDeps,
  { allowsPrivateTargets }: { allowsPrivateTargets: boolean },
): Promise<DemoEndpoint> {
  const { endpoint } = await services.endpoints.create(
    tenant,
    DISABLED_ENDPOINTS[allowsPrivateTargets ? 'private' : 'public'],
    { isVerified: true },
  );
  await services.endpoints.update(tenant, endpoint.id, { patch: { enabled: false } });
  const createdAt = new Date(now.getTime() - ENDPOINT_AGE_MS);
  const disabledAt = new Date(now.getTime() - DISABLED_FOR_MS);
  await models.Endpoint.updateOne({ id: endpoint.id }, { $set: { createdAt, updatedAt: disabledAt } });
  return { id: endpoint.id, createdAt, disabledAt };
}

/** Creates the endpoint of the demo receiver, or updates its URL, because its port changes with each start. */
export async function ensureReceiverEndpoint(
  { services, models, tenant, now }: CreationDeps,
  { url, creates }: { url: string; creates: boolean },
): Promise<DemoEndpoint | null> {
  const { customerId } = tenant;
  const endpoints = await models.Endpoint.find({ customerId }, { id: 1, url: 1, createdAt: 1 }).lean();
  const found = endpoints.find((endpoint) => isDemoReceiver(endpoint.url));
  if (found) {
    await services.endpoints.update(tenant, found.id, { patch: { url }, isVerified: true });
    return { id: found.id, createdAt: found.createdAt, disabledAt: null };
  }
  if (!creates) return null;
  const { endpoint } = await services.endpoints.create(
    tenant,
    { url, description: RECEIVER_DESCRIPTION },
    { isVerified: true },
  );
  const createdAt = new Date(now.getTime() - ENDPOINT_AGE_MS);
  await models.Endpoint.updateOne({ id: endpoint.id }, { $set: { createdAt } });
  return { id: endpoint.id, createdAt, disabledAt: null };
}

interface HistoryDeps {
  models: Models;
  now: Date;
  retryDelaysMs: RetryDelays;
  /** Empty if events are stored without deliveries. */
  endpoints: readonly DemoEndpoint[];
  statistics: Pick<ResultCounter, 'count'>;
}

/**
 * Returns the committer's `expand` for past events: stores them with their deliveries and sends nothing. The service
 * makes the attempts that are still due.
 */
export function createDeliveryHistory({ models, now, retryDelaysMs, endpoints, statistics }: HistoryDeps) {
  const events = outboxEventStore(models, NO_ENCRYPTION);
  const oldest = new Date(now.getTime() - MAX_EVENT_AGE_MS);
  // No jitter: the same conversations always have the same deliveries.
  const policy: RetryPolicy = { delays: retryDelaysMs, random: () => 0.5 };
  let planned = 0;

  function planFor(createdAt: Date): DeliveryPlan {
    planned += 1;
    return { createdAt, now, failures: failuresOf(planned), durationMs: 30 + ((planned * 37) % 160), policy };
  }

  return async function expand(published: OutboxEvent[]): Promise<Expansion<DeliveryDoc[]>> {
    const stored = published.filter(({ id }) => id.getTimestamp() > oldest);
    const insertionOf = await events.insertions(stored);
    const simulated = published.map((event) => {
      const createdAt = event.id.getTimestamp();
      const receiving = endpoints.filter((endpoint) => createdAt > oldest && createdAt > endpoint.createdAt);
      if (receiving.length === 0) return [];
      const plan = planFor(createdAt);
      return receiving.map((endpoint) => {
        const failsAlways = endpoint.disabledAt === null && event.event === FAILING_EVENT;
        const failures = failsAlways ? Number.POSITIVE_INFINITY : plan.failures;
        return simulateDelivery(event, endpoint, { ...plan, failures });
      });
    });
    return {
      events: stored.map((event) =>
        insertionOf(event, { createdAt: event.id.getTimestamp(), deliveries: [], filteredOut: [] }),
      ),
      derived: simulated.flat().map(({ delivery }) => insertion<DeliveryDoc>(models.Delivery, delivery)),
      effects: simulated.map((each) => each.map(({ delivery }) => delivery)),
      committed() {
        for (const { results } of simulated.flat())
          for (const [attempted, written] of results) statistics.count(attempted, written);
      },
      aborted() {},
    };
  };
}

/** Returns the number of failed attempts of the n-th delivery before the receiver accepts it. */
function failuresOf(n: number): number {
  if (n % 17 === 9) return Number.POSITIVE_INFINITY;
  if (n % 13 === 4) return 2;
  return n % 6 === 3 ? 1 : 0;
}

interface DeliveryPlan {
  createdAt: Date;
  /** End of the simulation: no attempt happens later. */
  now: Date;
  failures: number;
  durationMs: number;
  policy: RetryPolicy;
}

interface SimulatedDelivery {
  delivery: DeliveryDoc;
  results: [Attempted, WrittenResult][];
}

/** Runs a delivery through the real state machine until it is terminal, or its next attempt is in the future. */
function simulateDelivery(
  { id: eventId, tenant, event }: OutboxEvent,
  endpoint: DemoEndpoint,
  { createdAt, now, failures, durationMs, policy }: DeliveryPlan,
): SimulatedDelivery {
  const { disabledAt } = endpoint;
  const isDisabledAt = (time: Date): boolean => disabledAt !== null && time > disabledAt;
  let at = new Date(createdAt.getTime() + FIRST_ATTEMPT_AFTER_MS);
  const lease = () => ({ token: 'demo', expiresAt: at });
  const accepted = accept({ endpointEnabled: !isDisabledAt(createdAt), slotReserved: true });
  const { customerId } = tenant;
  const identity = {
    _id: newObjectId(createdAt),
    customerId,
    endpointId: endpoint.id,
    eventId,
    ...storedType(event),
  };
  const delivery = newDelivery(identity, acceptedFields(accepted, createdAt, lease()), createdAt);
  const results: SimulatedDelivery['results'] = [];
  while (!delivery.finishedAt && at <= now) {
    if (delivery.lease === undefined && disabledAt !== null && at > disabledAt) {
      update(delivery, cancelUpdate(cancel(stateOf(delivery, at)), disabledAt));
    } else if (delivery.lease === undefined) {
      const hasError = delivery.error !== null;
      update(delivery, claimUpdate(claim(stateOf(delivery, at)), { hasError, now: at, lease: lease() }));
    } else {
      const result = resultOf({ accepted: delivery.attempts.length >= failures, at, durationMs });
      at = new Date(at.getTime() + durationMs);
      const settled = settle(stateOf(delivery, at), result, { now: at, policy });
      const allowed = isDisabledAt(at) ? withoutRetry(settled) : settled;
      const manual = delivery.manual !== undefined;
      const request = delivery.attempts.length;
      results.push([{ ...delivery }, { result, settled: allowed, applied: true }]);
      update(delivery, settleUpdate(allowed, { result, manual, request, now: at, lease: lease() }));
      at = delivery.dueAt ?? at;
    }
  }
  return { delivery, results };
}

interface Attempt {
  accepted: boolean;
  at: Date;
  durationMs: number;
}

const resultOf = ({ accepted, at, durationMs }: Attempt): AttemptResult => ({
  at,
  responseStatus: accepted ? 200 : 503,
  responseBody: accepted ? 'ok' : 'try again later',
  error: accepted ? null : 'http_503',
  durationMs,
  retryAfter: undefined,
});

/** Applies an update of the queue to a delivery that is not stored yet. */
function update(delivery: DeliveryDoc, { $set, $unset, $push }: DeliveryUpdate): void {
  Object.assign(delivery, $set);
  for (const field of Object.keys($unset ?? {})) Reflect.deleteProperty(delivery, field);
  delivery.attempts.push(...($push?.attempts.$each ?? []));
}
