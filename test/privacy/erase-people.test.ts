import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { countsOf, type ErasureView } from './privacy-support.ts';

const ERASE_PEOPLE = `mutation ($input: ErasePeopleInput!) { erasePeople(input: $input) { erasureIds } }`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function erasePeople(tenant: TestTenant, input: object): Promise<string[]> {
  const { body } = await app.graphql(ERASE_PEOPLE, { input }, tenant.write);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data?.erasePeople?.erasureIds as unknown as string[];
}

/** The erasures of a tenant, once all of them have ended. */
const endedErasures = (tenant: TestTenant): Promise<ErasureView[]> =>
  eventually(async () => {
    const { body } = await app.request('GET', `/api/v1/customers/${tenant.customerId}/erasures?limit=100`, {
      key: tenant.read,
    });
    const erasures = body.data as unknown as ErasureView[];
    return erasures.every(({ status }) => status !== 'running') && erasures;
  }, 60_000);

/** More than the erasures that a process works on at a time. */
const PEOPLE = 10;

const visitorOf = (index: number): string => `v_listed_${index}`;

test.each(['a\u0000b@example.com', 'zoe\u202e@example.com', '<zoe@example.com>', 'zoe\ud800@example.com'])(
  'refuses the address %j, and erases no one',
  async (email) => {
    const tenant = await app.newTenant();
    const input = { people: [{ visitorId: 'v_1' }, { email }] };
    const { body } = await app.graphql(ERASE_PEOPLE, { input }, tenant.write);
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    expect(await endedErasures(tenant)).toEqual([]);
  },
);

test('requires the scope write', async () => {
  const tenant = await app.newTenant();
  const input = { people: [{ visitorId: 'v_1' }] };
  const { body } = await app.graphql(ERASE_PEOPLE, { input }, tenant.read);
  expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('erases each person by an erasure of its own, and no person of another tenant', async () => {
  const [tenant, other] = [await app.newTenant(), await app.newTenant()];
  const people = Array.from({ length: PEOPLE }, (_, index) => ({ visitorId: visitorOf(index) }));
  for (const { visitorId } of people) {
    await startConversation(app, tenant, { visitorId });
    await startConversation(app, other, { visitorId });
  }
  await startConversation(app, tenant, { visitorId: 'v_kept' });

  const counted = await erasePeople(tenant, { people, dryRun: true });
  expect(new Set(counted).size).toBe(people.length);
  await endedErasures(tenant);
  expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(PEOPLE + 1);

  const ids = await erasePeople(tenant, { people: [...people, people[0]] });
  expect(ids).toHaveLength(PEOPLE + 1);
  expect(ids[PEOPLE]).toBe(ids[0]);
  const erasures = (await endedErasures(tenant)).filter(({ dryRun }) => !dryRun);
  expect(erasures.map(({ id }) => id).toSorted()).toEqual([...new Set(ids)].toSorted());
  for (const erasure of erasures) {
    expect(erasure).toMatchObject({ status: 'completed', suppress: true });
    expect(countsOf(erasure)).toMatchObject({ conversations: 1 });
  }
  expect(await app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(1);
  expect(await app.models.Conversation.countDocuments({ customerId: other.customerId })).toBe(PEOPLE);
  expect(await app.models.Suppression.countDocuments({ customerId: tenant.customerId })).toBe(PEOPLE);
});

test('only deletes without suppression', async () => {
  const tenant = await app.newTenant();
  await startConversation(app, tenant, { visitorId: 'v_1' });
  await erasePeople(tenant, { people: [{ visitorId: 'v_1' }], suppress: false });
  await endedErasures(tenant);
  await startConversation(app, tenant, { visitorId: 'v_1' });
  const stored = await app.models.Conversation.find({ customerId: tenant.customerId }).lean();
  expect(stored.map(({ visitorId }) => visitorId)).toEqual(['v_1']);
  expect(await app.models.Suppression.countDocuments({ customerId: tenant.customerId })).toBe(0);
});

test('takes 1,000 people, whose erasures wait for each other, and end when the customer is deleted', async () => {
  const tenant = await app.newTenant();
  const { customerId } = tenant;
  const people = Array.from({ length: 1_000 }, (_, index) => ({ visitorId: visitorOf(index) }));
  const ids = await erasePeople(tenant, { people, suppress: false });
  expect(new Set(ids).size).toBe(1_000);
  const count = (status: 'running' | 'completed' | 'aborted') =>
    app.models.Erasure.countDocuments({ customerId, status, target: { $exists: false } });
  await eventually(async () => (await count('completed')) >= 4);
  const { orgId } = tenant.tenant;
  await app.services.tenantDeletions.start(customerId, { orgId }, null);
  expect(await count('running')).toBe(0);
  expect((await count('completed')) + (await count('aborted'))).toBe(1_000);
});
