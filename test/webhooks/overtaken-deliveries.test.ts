import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { deliveryLike, listening, missEvents, postConversion, storeDue } from './support.ts';

const SLOTS = 4;
/** With these slots at most 8 deliveries a second, a fraction of what is accepted. */
const RECEIVER_MS = 500;
const CLIENTS = 4;
const ACCEPT_EVERY_MS = 60;
const LOAD_MS = 25_000;
/** Deliveries beyond those with a lease, when the one that only the database has becomes due. */
const BACKLOG = 60;
/** Time after it in which deliveries accepted later may go first: a second, and the interval of claims. */
const OVERTAKEN_MS = 3_000;
/** Deliveries that may hold a lease by then. */
const LEASED = 9 * SLOTS;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_CONCURRENCY_PER_ENDPOINT: String(SLOTS) });
});
afterAll(() => app.stop());

/**
 * Accepts more events than the endpoint takes, makes a delivery due in the database alone, and returns how many that
 * were accepted later went first.
 */
async function overtakers(
  { tenant, receiver }: Awaited<ReturnType<typeof listening>>,
  makeDue: () => Promise<string>,
): Promise<number> {
  receiver.behave({ status: 200, delayMs: RECEIVER_MS });
  const accepted = new Map<string, number>();
  let isOver = false;
  const accept = async () => {
    while (!isOver) {
      const { id } = await postConversion(app, tenant);
      accepted.set(String(id), performance.now());
      await sleep(ACCEPT_EVERY_MS);
    }
  };
  const load = Promise.all(Array.from({ length: CLIENTS }, accept));
  await eventually(() => accepted.size > receiver.received.length + BACKLOG, 30_000);
  const before = receiver.received.length;
  const dueAt = performance.now();
  const deliveryId = await makeDue();
  const arrival = () =>
    receiver.received.findIndex(
      ({ headers }, index) => index >= before && headers['x-svc-delivery-id'] === deliveryId,
    );
  await eventually(() => arrival() !== -1, LOAD_MS).catch(() => {});
  isOver = true;
  await load;
  await eventually(() => arrival() !== -1, 60_000);
  return receiver.received
    .slice(before, arrival())
    .filter(
      ({ envelope }) => (accepted.get(String(envelope.data.conversionEventId)) ?? 0) > dueAt + OVERTAKEN_MS,
    ).length;
}

test('a resend under load is not sent after events that are accepted later', async () => {
  const customer = await listening(app);
  const { tenant, endpoint } = customer;
  await missEvents(app, tenant, endpoint, 1);
  const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
  const late = await overtakers(customer, async () => {
    const path = `${endpoint.path}/deliveries/${id}/resend`;
    expect((await app.request('POST', path, { key: tenant.write })).status).toBe(202);
    return id;
  });
  expect(late).toBeLessThanOrEqual(LEASED);
});

test('a delivery that a dead process left is not sent after events that are accepted later', async () => {
  const customer = await listening(app);
  const { tenant, endpoint } = customer;
  const late = await overtakers(customer, async () => {
    const state = { status: 'pending', attempt: 0, lane: 'inline' } as const;
    const [id] = await storeDue(app, tenant, endpoint, state);
    return String(id);
  });
  expect(late).toBeLessThanOrEqual(LEASED);
});
