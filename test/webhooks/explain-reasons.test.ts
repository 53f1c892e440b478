import { Types } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import {
  EXPLANATION_REASONS,
  type ExplanationReason,
} from '../../src/features/webhooks/delivery/explanation.service.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { explainIn, storeDelivery } from './explain-support.ts';
import { createEndpoint, deliveryLike, postConversion, setEnabled, type TestEndpoint } from './support.ts';

const NOWHERE = { url: 'http://127.0.0.1:9', paused: true };
const LATER = new Date('2999-01-01T00:00:00.000Z');
const AT = new Date('2026-01-31T09:30:00.000Z');
const mongodbUri = freshDatabase();

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ MONGODB_URI: mongodbUri });
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

interface Seeded {
  eventId: string;
  endpoint: TestEndpoint;
}

interface Cause {
  /** Message of the reason. */
  message: string | RegExp;
  /** Brings the cause about for a tenant of its own. */
  seed: (tenant: TestTenant) => Promise<Seeded>;
  /** True if the customer's own keys cannot ask. */
  isAdmins?: boolean;
}

const publish = async (tenant: TestTenant, more: Record<string, unknown> = {}): Promise<string> =>
  String((await postConversion(app, tenant, more)).event_id);

/** An event that was published after the creation of an endpoint with these settings. */
const published =
  (settings: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  async (tenant: TestTenant): Promise<Seeded> => {
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, ...settings });
    return { eventId: await publish(tenant, more), endpoint };
  };

/** A stored delivery in a state, to an endpoint with these settings. */
const stored =
  (state: Partial<DeliveryDoc>, settings: Record<string, unknown> = {}) =>
  async (tenant: TestTenant): Promise<Seeded> => {
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, ...settings });
    return { eventId: await storeDelivery(app, tenant, endpoint, state), endpoint };
  };

/** A delivery of which an attempt is due, in no lane that a process claims from. */
const due = async (tenant: TestTenant, endpoint: TestEndpoint, more: Partial<DeliveryDoc> = {}) => {
  const eventId = await storeDelivery(app, tenant, endpoint, { status: 'pending', attempt: 0, ...more });
  await app.models.Delivery.collection.updateOne(
    { customerId: tenant.customerId, eventId: new Types.ObjectId(eventId) },
    { $set: { lane: 'none', dueAt: AT } },
  );
  return eventId;
};

const failed = (attempt: number, error: string): Partial<DeliveryDoc> => ({
  ...{ status: 'failed', attempt, error, lastAttemptAt: AT, finishedAt: AT },
});
const lastError = (error: string) => `; the last error, at ${AT.toISOString()}, is ${error}.`;

const CAUSES: Record<ExplanationReason, Cause> = {
  no_such_event: {
    message: EXPLANATION_REASONS.no_such_event,
    seed: async (tenant) => ({
      eventId: 'f'.repeat(24),
      endpoint: await createEndpoint(app, tenant, NOWHERE),
    }),
  },
  not_subscribed: {
    message: 'The events of the endpoint do not include conversion.recorded.',
    seed: published({ events: ['outcome.marked'] }),
  },
  filtered_out: {
    message: 'The event does not fulfil the clause data.value $gte 100; its value is 7.',
    seed: published({ filter: { 'data.value': { $gte: 100 } } }, { value: 7 }),
  },
  endpoint_created_later: {
    message: /^The event was emitted at \S+Z, the endpoint was created at \S+Z\.$/,
    async seed(tenant) {
      const eventId = await publish(tenant);
      return { eventId, endpoint: await createEndpoint(app, tenant, NOWHERE) };
    },
  },
  endpoint_deleted: {
    message: /^The delivery was cancelled at \S+Z: its endpoint was deleted\.$/,
    async seed(tenant) {
      const seeded = await published({})(tenant);
      await app.request('DELETE', seeded.endpoint.path, { key: tenant.write });
      return seeded;
    },
  },
  about_this_endpoint: {
    message: EXPLANATION_REASONS.about_this_endpoint,
    async seed(tenant) {
      const event = 'endpoint.disabled';
      const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, events: [event] });
      const createdAt = app.clock.now();
      const eventId = newObjectId(createdAt);
      await app.models.Event.create({
        ...{ _id: eventId, customerId: tenant.customerId, event, createdAt },
        payload: JSON.stringify({ event, data: { endpointId: endpoint.id }, ts: 0 }),
      });
      return { eventId: eventId.toHexString(), endpoint };
    },
  },
  other_recipient: {
    message: EXPLANATION_REASONS.other_recipient,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, NOWHERE);
      const tested = await createEndpoint(app, tenant, NOWHERE);
      const body = { event: 'outcome.marked' };
      const sent = await app.request('POST', `${tested.path}/test`, { key: tenant.write, body });
      return { eventId: String(sent.body.eventId), endpoint };
    },
  },
  disabled: {
    message: /^The endpoint was disabled at \S+Z; recover sends the delivery once it is enabled\.$/,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, NOWHERE);
      await setEnabled(app, tenant, endpoint, false);
      return { eventId: await publish(tenant), endpoint };
    },
  },
  cancelled: {
    message: /^The delivery was cancelled at \S+Z: its endpoint was disabled, or its backlog cancelled\.$/,
    async seed(tenant) {
      const seeded = await published({})(tenant);
      await app.request('POST', `${seeded.endpoint.path}/cancel-backlog`, { key: tenant.write });
      return seeded;
    },
  },
  paused: { message: EXPLANATION_REASONS.paused, seed: published({}) },
  circuit_open: {
    message: `${EXPLANATION_REASONS.circuit_open} The next attempt is due at ${LATER.toISOString()}.`,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, paused: false });
      const circuit = {
        state: 'open',
        since: AT,
        reason: 'http_500',
        probeAt: LATER,
        failedProbes: 1,
      } as const;
      await app.models.Endpoint.updateOne({ customerId: tenant.customerId, id: endpoint.id }, { circuit });
      // A change of the endpoint ends what processes have cached of it.
      await app.request('PATCH', endpoint.path, { key: tenant.write, body: { description: 'open' } });
      return { eventId: await due(tenant, endpoint), endpoint };
    },
  },
  customer_suspended: {
    message: EXPLANATION_REASONS.customer_suspended,
    isAdmins: true,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, paused: false });
      const eventId = await due(tenant, endpoint);
      const path = `/api/v1/customers/${tenant.customerId}/suspend`;
      await app.request('POST', path, { key: app.admin, body: {} });
      return { eventId, endpoint };
    },
  },
  waiting_for_slot: {
    message: EXPLANATION_REASONS.waiting_for_slot,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, paused: false });
      return { eventId: await due(tenant, endpoint), endpoint };
    },
  },
  waiting_for_rate_limit: {
    message: /^The rate limit of the endpoint is exhausted\. The next attempt is due at \S+Z\.$/,
    async seed(tenant) {
      const rateLimit = { count: 1, perSeconds: 3_600 };
      const endpoint = await createEndpoint(app, tenant, { url: receiver.url, rateLimit });
      await publish(tenant);
      await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
      return { eventId: await publish(tenant), endpoint };
    },
  },
  waiting_for_order: {
    message: EXPLANATION_REASONS.waiting_for_order,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, {
        ...{ url: NOWHERE.url, ordering: 'conversation' },
      });
      const conversationId = newObjectId(AT).toHexString();
      await storeDelivery(app, tenant, endpoint, { conversationId, nextRetryAt: LATER, error: 'timeout' });
      return { eventId: await due(tenant, endpoint, { conversationId }), endpoint };
    },
  },
  pending: {
    message: 'Attempt 1 is in progress.',
    seed: stored({ status: 'pending', attempt: 1, lease: 'other process' }),
  },
  retrying: {
    message: `Attempt 3 is due at ${LATER.toISOString()}. The last error is http_500.`,
    seed: stored({ error: 'http_500', nextRetryAt: LATER }),
  },
  exhausted: {
    message: `All 5 attempts failed${lastError('http_503')}`,
    seed: stored(failed(5, 'http_503')),
  },
  stopped_by_receiver: {
    message: `The receiver ended the attempts after 2${lastError('http_410')}`,
    seed: stored(failed(2, 'http_410')),
  },
  address_refused: {
    message: `All 5 attempts failed${lastError('blocked_address')}`,
    seed: stored(failed(5, 'blocked_address')),
  },
  proxy_failed: {
    message: `Attempt 3 is due at ${LATER.toISOString()}. The last error is proxy_refused.`,
    seed: stored({ error: 'proxy_refused', nextRetryAt: LATER }),
  },
  token_failed: {
    message: `All 5 attempts failed${lastError('oauth_refused')}`,
    seed: stored(failed(5, 'oauth_refused')),
  },
  certificate_failed: {
    message: `All 5 attempts failed${lastError('mtls_unreadable')}`,
    seed: stored(failed(5, 'mtls_unreadable')),
  },
  payload_unreadable: {
    message: EXPLANATION_REASONS.payload_unreadable,
    seed: stored({ status: 'failed', attempt: 1, error: 'payload_unreadable' }),
  },
  delivered: {
    message: /^Attempt 1 at \S+Z received HTTP 200 after \d+ ms\.$/,
    async seed(tenant) {
      const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
      const eventId = await publish(tenant);
      await deliveryLike(app, tenant, endpoint, { eventId, status: 'succeeded' });
      return { eventId, endpoint };
    },
  },
};

test.each(Object.entries(CAUSES))(
  '%s is explained alike in REST, GraphQL, the client and the command',
  async (reason, { seed, message, isAdmins = false }) => {
    const tenant = await app.newTenant();
    const { eventId, endpoint } = await seed(tenant);
    const asking = isAdmins ? { ...tenant, read: app.admin, write: app.admin } : tenant;
    const explanation = await explainIn(app, asking, { eventId, endpointId: endpoint.id });
    expect(explanation).toMatchObject({
      reason,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    const command = ['explain', '--customer', String(tenant.customerId), '--event', eventId, '--json'];
    const { stdout } = await runCommand([...command, '--endpoint', String(endpoint.id)], {
      MONGODB_URI: mongodbUri,
    });
    expect(JSON.parse(stdout)).toEqual(explanation);
  },
);

test('a delivery that the receiver stopped at its last attempt is not explained as exhausted', async () => {
  const tenant = await app.newTenant();
  const seed = stored({ ...failed(5, 'http_410'), endedByReceiver: true });
  const { eventId, endpoint } = await seed(tenant);
  expect(await explainIn(app, tenant, { eventId, endpointId: endpoint.id })).toMatchObject({
    reason: 'stopped_by_receiver',
    message: `The receiver ended the attempts after 5${lastError('http_410')}`,
  });
});
