import { Types } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { dump, ENCRYPTION_KEY, erase } from './privacy-support.ts';

const ZOE = {
  resolvedPersonId: 'p_zoe1',
  email: 'Zoe@x.example',
  firstName: 'Zoelinde',
  lastName: 'Quist',
  jobTitle: 'Harbour pilot',
  company: 'Lighthouse Ltd',
};
const ANN = { resolvedPersonId: 'p_ann1', email: 'ann@x.example', firstName: 'Annegret', lastName: 'Other' };

/** Without and with encryption. */
const apps: TestApp[] = [];
beforeAll(async () => {
  for (const PII_ENCRYPTION of ['off', 'on'])
    apps.push(await startApp({ PII_ENCRYPTION, CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY }));
});
afterAll(async () => {
  for (const app of apps) await app.stop();
});

/** Resolves the visitor of a new conversation to an identity, and then to another one. */
async function correct(app: TestApp, tenant: TestTenant, identity: object): Promise<void> {
  const call = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await app.graphql(query, variables, tenant.write);
    expect(body.errors).toBeUndefined();
    return Object.values(body.data ?? {})[0] as unknown as { id: string };
  };
  const { id } = await call('mutation { startConversation(input: { visitorId: "v1" }) { id } }');
  for (const input of [identity, ANN])
    await call(
      `mutation ($id: ID!, $input: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $input) { id } }`,
      { id, input },
    );
}

test.each([
  ['events', 'off'],
  ['events', 'on'],
  ['timelines', 'off'],
] as const)(
  'an identity that was corrected leaves nothing in %s, with PII_ENCRYPTION=%s',
  async (place, encryption) => {
    const app = apps[encryption === 'off' ? 0 : 1] as TestApp;
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    await correct(app, tenant, ZOE);
    if (place === 'timelines') {
      const found = await app.models.Event.collection.find({ customerId }).toArray();
      await app.models.ArchivedEvent.collection.insertMany(
        found.map(({ conversationId, event, payload, createdAt }) => ({
          ...{ _id: new Types.ObjectId(), customerId, conversationId, event, payload, createdAt },
        })) as never[],
      );
      await app.models.Event.deleteMany({ customerId });
    }

    const receipt = await erase(app, tenant, { email: 'zoe@x.example' });
    expect(receipt).toMatchObject({ status: 'completed', error: null });
    const path = `/api/v1/customers/${customerId}/events`;
    const { body } = await app.request('GET', path, { key: tenant.read });
    const listed = `${JSON.stringify(body)} ${await dump(app)}`.toLowerCase();
    for (const value of Object.values(ZOE)) expect(listed).not.toContain(value.toLowerCase());
    // The correction is Ann's, with her conversation.
    expect(await dump(app)).toContain(ANN.email);
  },
);

test('what replaces an erased person id links nothing', async () => {
  const [app] = apps as [TestApp];
  const tenant = await app.newTenant();
  const resolvedPersonId = 'bob@x.example';
  for (const email of [ZOE.email, 'carl@x.example']) await correct(app, tenant, { resolvedPersonId, email });
  await erase(app, tenant, { email: resolvedPersonId });
  await erase(app, tenant, { email: ZOE.email });
  const { body } = await app.request('GET', `/api/v1/customers/${tenant.customerId}/events`, {
    key: tenant.read,
  });
  expect(JSON.stringify(body)).not.toContain(ZOE.email);
  expect(JSON.stringify(body)).toContain('carl@x.example');
});
