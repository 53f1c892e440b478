import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { store, waiting } from '../bench/support/documents.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { createEndpoint, listening, postConversion, receiving } from './support.ts';

const SLOTS = 16;
const SLOTS_PER_TENANT = 4;
/** Within the timeout of 5 s, so that every attempt succeeds. */
const SLOW = { status: 200, delayMs: 4_500 };
/** Time within which another tenant is served: no slot of the slow one becomes free in it. Milliseconds. */
const PROMPT_MS = 4_000;

let app: TestApp;

beforeEach(async () => {
  app = await startApp({ WEBHOOK_CONCURRENCY: String(SLOTS) });
});
afterEach(() => app.stop());

/** Registers endpoints of a new tenant at one slow receiver. */
async function slowTenant(endpoints: number) {
  const receiver = await receiving(SLOW);
  const tenant = await app.newTenant();
  const ids: number[] = [];
  for (let i = 0; i < endpoints; i += 1)
    ids.push((await createEndpoint(app, tenant, { url: `${receiver.url}/${i}` })).id);
  return { tenant, receiver, ids };
}

describe('beside a tenant with 20 slow endpoints', () => {
  test('a new delivery of another tenant starts at once', async () => {
    const slow = await slowTenant(20);
    const other = await listening(app);
    for (let i = 0; i < 10; i += 1) await postConversion(app, slow.tenant);
    await slow.receiver.waitFor(SLOTS_PER_TENANT);
    await postConversion(app, other.tenant);
    await other.receiver.waitFor(1, PROMPT_MS);
    expect(slow.receiver.received).toHaveLength(SLOTS_PER_TENANT);
  });

  test('deliveries of other tenants are claimed from the database at once, with one key read per endpoint', async () => {
    const slow = await slowTenant(20);
    const others = await Promise.all(Array.from({ length: 5 }, () => listening(app)));
    const { db } = app.models.Delivery.db;
    await db?.command({ profile: 2 });
    const now = app.clock.now();
    const due = (count: number, { customerId }: TestTenant, endpointIds: number[]) =>
      store(app.models, count, (number) => {
        const endpointId = endpointIds[number % endpointIds.length] ?? 0;
        return waiting({ number, customerId, endpointId }, now, now);
      });
    await due(3_000, slow.tenant, slow.ids);
    for (const { tenant, endpoint } of others) await due(1, tenant, [endpoint.id]);
    // The documents are not inserted by the service, so an idle worker would notice them after seconds only.
    await Promise.all([
      runJob(app, 'webhooks.claim'),
      ...others.map(({ receiver }) => receiver.waitFor(1, PROMPT_MS)),
    ]);
    expect(slow.receiver.peak()).toBeLessThanOrEqual(SLOTS_PER_TENANT);

    await db?.command({ profile: 0 });
    const reads = await db
      ?.collection('system.profile')
      .find({ ns: /webhookDeliveries$/, planSummary: /^DISTINCT_SCAN/ })
      .toArray();
    expect(reads?.length).toBeGreaterThan(0);
    for (const { keysExamined, docsExamined } of reads ?? [])
      expect(Math.max(keysExamined, docsExamined)).toBeLessThanOrEqual(slow.ids.length + others.length);
  });
});
