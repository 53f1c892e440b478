import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

const START = 'mutation { startConversation(input: { visitorId: "v_1" }) { id status } }';
const END = 'mutation ($id: ID!) { endConversation(conversationId: $id) { status } }';

let mongo: TestMongo;
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  mongo = await startTestMongo({ members: 3 });
  app = await startApp({ MONGODB_URI: mongo.uri, DRIFT_CHECK_SCHEDULE: 'off' });
  tenant = await app.newTenant();
});
afterEach(() => mongo.unlockSecondaries().catch(() => {}));
afterAll(async () => {
  await app.stop();
  await mongo.stop();
});

const mutate = (query: string, variables: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.graphql(query, variables, tenant.write, headers);

/** Options of a write that a failover can undo while the secondaries are locked. */
const PRIMARY_ALONE = { writeConcern: { w: 1 } } as const;

const ENDED = { endConversation: { status: 'ended' } };
const UNAVAILABLE = { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] };

async function started(): Promise<string> {
  const { body } = await mutate(START, {});
  const { startConversation } = body.data as unknown as { startConversation: { id: string } };
  return startConversation.id;
}

test('a replayed Idempotency-Key acknowledges no result that a failover can undo', async () => {
  const id = await started();
  const end = () => mutate(END, { id }, { 'idempotency-key': 'end-1' });
  expect((await end()).body.data).toEqual(ENDED);
  const record = { _id: /end-1$/ };
  const stored = await app.models.Idempotency.collection.findOne(record as object);
  await app.models.Idempotency.deleteMany(record);
  await mongo.lockSecondaries();
  await app.models.Idempotency.collection.insertOne({ ...stored, response: null } as never, PRIMARY_ALONE);
  expect((await end()).body).toMatchObject(UNAVAILABLE);
  await mongo.unlockSecondaries();
  expect(await eventually(async () => (await end()).body.data)).toEqual(ENDED);
}, 60_000);

test('a repeated move acknowledges no status that a failover can undo', async () => {
  const id = await started();
  const end = () => mutate(END, { id });
  await mongo.lockSecondaries();
  const status = { $set: { status: 'ended', endedAt: new Date() } };
  await app.models.Conversation.updateOne({ _id: id }, status, PRIMARY_ALONE);
  expect((await end()).body).toMatchObject(UNAVAILABLE);
  await mongo.unlockSecondaries();
  expect(await eventually(async () => (await end()).body.data)).toEqual(ENDED);
}, 60_000);

test('a repeated revocation of a key acknowledges none that a failover can undo', async () => {
  const { apiKey } = await app.services.keys.create({
    scope: 'read',
    customerId: tenant.customerId,
    expiresAt: null,
  });
  const { keys } = app.services;
  await mongo.lockSecondaries();
  await app.models.ApiKey.updateOne({ _id: apiKey.id }, { $set: { revokedAt: new Date() } }, PRIMARY_ALONE);
  await expect(keys.revoke(apiKey.id)).rejects.toThrow();
  await mongo.unlockSecondaries();
  expect((await keys.revoke(apiKey.id)).revokedAt).not.toBeNull();
}, 60_000);
