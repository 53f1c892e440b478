import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventName } from '../../src/features/outbox/event-catalog.ts';
import { type DeliveryDoc, newDelivery } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { recordQueries } from '../conversations/queries.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint, type TestEndpoint } from './support.ts';

const RARE: EventName = 'identity.resolved';
const PAGE = 5;
/** Ranges that a list by one field merges: one for each value of the other field. */
const RANGES = 7;

let app: TestApp;
let tenant: TestTenant;
let endpoint: TestEndpoint;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  endpoint = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9' });
  const other = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9' });
  // The oldest are the rare ones: a list that filters row by row would read all of the others first.
  await app.models.Delivery.insertMany(
    Array.from({ length: 400 }, (_, index) =>
      delivery(index < 20 ? endpoint.id : other.id, {
        event: index < 10 || index > 200 ? RARE : 'conversation.started',
        status: index < 10 || (index > 20 && index < 200) ? 'failed' : 'succeeded',
      }),
    ),
  );
});
afterAll(() => app.stop());

function delivery(endpointId: number, { event, status }: Pick<DeliveryDoc, 'event' | 'status'>): DeliveryDoc {
  const now = new Date();
  const { customerId } = tenant;
  return newDelivery(
    { _id: newObjectId(now), customerId, endpointId, eventId: newObjectId(now), event },
    { status, attempt: 1, lane: 'inline', finishedAt: now },
    now,
  );
}

const FILTERS = ['', 'status: failed', `event: "${RARE}"`, `event: "${RARE}", status: failed`];

describe.each(['the endpoint', 'the customer'])('a list of %s', (owner) => {
  test.each(FILTERS)('with the filter { %s } reads about as many keys as rows', async (filter) => {
    const ofEndpoint = owner === 'the endpoint' ? `endpointId: ${endpoint.id},` : '';
    const queries = await recordQueries(app, 'webhookDeliveries');
    const { body } = await app.graphql(
      `{ webhookDeliveries(first: ${PAGE}, ${ofEndpoint} ${filter}) { edges { node { status event } } } }`,
      {},
      tenant.read,
    );
    const { edges } = (body.data as unknown as { webhookDeliveries: { edges: unknown[] } }).webhookDeliveries;
    expect(edges).toHaveLength(PAGE);
    const made = await queries.stop();
    expect(made).toHaveLength(1);
    for (const { keysExamined, docsExamined, returned, sorts } of made) {
      expect(returned).toBe(PAGE + 1);
      expect(docsExamined).toBe(returned);
      expect(keysExamined).toBeLessThanOrEqual(returned + 2 * RANGES);
      expect(sorts).toBe(false);
    }
  });
});
