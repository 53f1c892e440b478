import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { erase, stored } from './privacy-support.ts';

let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function call(query: string, variables: Record<string, unknown>): Promise<unknown> {
  const { body } = await app.graphql(query, variables, tenant.write);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data ?? {})[0];
}

async function start(visitorId: string): Promise<{ id: string; visitorId: string }> {
  const started = await call(
    'mutation ($visitorId: String!) { startConversation(input: { visitorId: $visitorId }) { id visitorId } }',
    { visitorId },
  );
  return started as { id: string; visitorId: string };
}

const identify = (id: string, input: Record<string, unknown>) =>
  call(
    'mutation ($id: ID!, $input: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $input) { id } }',
    { id, input },
  );

const append = (id: string, text: string) =>
  call(
    'mutation ($id: ID!, $messages: [MessageInput!]!) { appendMessages(conversationId: $id, messages: $messages) { id } }',
    { id, messages: [{ role: 'operator', text }] },
  );

const record = (body: Record<string, unknown>) =>
  app.request('POST', '/v1/events', { key: tenant.write, body });

test.each([
  ['an invisible character', 'zoe@example.com', 'zo\u200be@example.com'],
  ['an accent as a character of its own', 'zo\u00e9@example.com', 'zoe\u0301@example.com'],
])('an address with %s is the same address', async (_, email, spelled) => {
  tenant = await app.newTenant();
  await identify((await start('v_spelled')).id, { resolvedPersonId: 'p_spelled', email: spelled });
  expect((await erase(app, tenant, { email })).status).toBe('completed');
  const of = { customerId: tenant.customerId };
  expect(await app.models.Conversation.countDocuments(of)).toBe(0);

  const again = await start('v_again');
  await identify(again.id, { resolvedPersonId: 'p_again', email: spelled });
  expect(await app.models.Conversation.findOne(of).lean()).toMatchObject({
    visitorId: '[suppressed]',
    identity: null,
  });
  expect((await start('v_\u00adspelled')).visitorId).toBe('[suppressed]');
});

test('a person with a thousand long ids, names and addresses neither stops the service nor is missed', async () => {
  tenant = await app.newTenant();
  const long = 'a-'.repeat(30);
  const name = 'eo '.repeat(150).trim();
  for (let index = 0; index < 40; index += 1) {
    const { id } = await start(`${long}v${index}`);
    const [firstName, lastName] = [`${name} x${index}`, name];
    const email = `${long}${index}@example.com`;
    await identify(id, { resolvedPersonId: 'p_long', firstName, lastName, email });
  }
  const other = await start('v_other');
  const texts = [long.repeat(500), `${name} `.repeat(60), `to ${long}v7, from ${long}9@example.com`];
  for (const text of texts) await append(other.id, text);
  const { status } = await erase(app, tenant, { resolvedPersonId: 'p_long' });
  expect(status).toBe('completed');
  const messages = await plainRows(app, app.models.Message.find({ customerId: tenant.customerId }));
  expect(JSON.stringify(messages)).toContain('to [erased], from [erased]');
});

test('an address is the person as a visitor id, as a person id and with a display name', async () => {
  tenant = await app.newTenant();
  await start('Zoë@Müller.example');
  await identify((await start('v_marker_1')).id, { resolvedPersonId: 'zoë@müller.example' });
  await identify((await start('v_marker_2')).id, {
    resolvedPersonId: 'p_marker',
    email: 'Zoë M <ZOË@müller.example>',
  });
  await record({ visitor_id: 'zoë@müller.example', type: 'viewed', properties: { page: 'marker_page' } });
  await start('v_other');

  const { status } = await erase(app, tenant, { email: 'zoë@müller.example' });
  expect(status).toBe('completed');
  expect(await app.models.Conversation.distinct('visitorId', { customerId: tenant.customerId })).toEqual([
    'v_other',
  ]);
  expect(await app.models.PreviewEvent.countDocuments({ customerId: tenant.customerId })).toBe(0);

  expect((await start(' ZOË@müller.example')).visitorId).toBe('[suppressed]');
  expect((await start('V_Marker_1')).visitorId).toBe('[suppressed]');
  const again = await start('v_new');
  await identify(again.id, { resolvedPersonId: ' P_MARKER ' });
  expect(
    await app.models.Conversation.exists({ customerId: tenant.customerId, visitorId: 'v_new' }),
  ).toBeNull();
});

test('a blank address joins no people, and leaves the texts of others as they are', async () => {
  tenant = await app.newTenant();
  const own = await start('v_blank');
  await identify(own.id, { resolvedPersonId: 'p_blank', email: 'Blank <>' });
  const other = await start('v_other');
  await identify(other.id, { resolvedPersonId: 'p_other', email: '<>' });
  await append(other.id, 'A text of another visitor.');

  const { status } = await erase(app, tenant, { visitorId: 'v_blank' });
  expect(status).toBe('completed');
  const texts = await plainRows(app, app.models.Message.find({ customerId: tenant.customerId }));
  expect(texts.map(({ text }) => text)).toEqual(['A text of another visitor.']);
  expect(await app.models.Conversation.distinct('visitorId', { customerId: tenant.customerId })).toEqual([
    'v_other',
  ]);
});

test('no text of a visitor prevents the erasure of a person', async () => {
  tenant = await app.newTenant();
  await identify((await start('v_nora')).id, {
    resolvedPersonId: 'p_nora',
    email: 'nora@example.com',
    firstName: 'Nora',
    lastName: 'Émile',
  });
  const notes = ['x\\u00c9mile, Nora', 'Hello\nora Émile', 'Nora\\u00c9mile', '\\Nora Émile\\'];
  for (const note of notes) await record({ visitor_id: 'v_other', type: 'viewed', properties: { note } });

  const { status } = await erase(app, tenant, { email: 'nora@example.com', suppress: false });
  expect(status).toBe('completed');
  const events = await plainRows(
    app,
    app.models.PreviewEvent.find({ customerId: tenant.customerId }).sort({ _id: 1 }),
  );
  expect(events.map(({ properties }) => JSON.parse(properties ?? '').note)).toEqual([
    ...notes.slice(0, 3),
    '\\[erased]\\',
  ]);
});

test('a person with many names, and with a long one, is found', async () => {
  tenant = await app.newTenant();
  const lastName = `Quist${'ö'.repeat(200)}`;
  const long = `Zoé${'é'.repeat(200)} ${lastName}`;
  const names = [long, ...Array.from({ length: 12 }, (_, index) => `Zoé${index} Łabędźówna`)];
  for (const [index, name] of names.entries()) {
    const [firstName, family] = name.split(' ');
    await identify((await start(`v_name_${index}`)).id, {
      ...{ resolvedPersonId: 'p_names', email: 'names@example.com', firstName, lastName: family },
    });
  }
  await append((await start('v_other')).id, `${long}, not ${long}x`);
  for (const note of [`${long}x`, `${names[9]}, ${long}`])
    await record({ visitor_id: 'v_other', type: 'viewed', properties: { note } });

  const { status } = await erase(app, tenant, { email: 'names@example.com', suppress: false });
  expect(status).toBe('completed');
  const [message] = await plainRows(app, app.models.Message.find({ customerId: tenant.customerId }));
  expect(message?.text).toBe(`[erased], not ${long}x`);
  const events = await plainRows(
    app,
    app.models.PreviewEvent.find({ customerId: tenant.customerId }).sort({ _id: 1 }),
  );
  expect(events.map(({ properties }) => JSON.parse(properties ?? '').note)).toEqual([
    `${long}x`,
    '[erased], [erased]',
  ]);
});

test('the person is found in every spelling, and a short id only where ids are', async () => {
  tenant = await app.newTenant();
  const own = await start('42');
  await identify(own.id, {
    resolvedPersonId: 'anna',
    email: 'zoe@example.com',
    firstName: 'Zoé',
    lastName: 'Quist',
  });
  const other = await start('v_other');
  for (const text of [
    "'zoe@example.com' and -zoe@example.com--",
    'https://example.com/?to=%20zoe%40example.com',
    'z\u200boe@example.com',
    'Zoe\u0301 Quist, Zoe Quist and QUIST, ZOÈ',
  ])
    await append(other.id, text);
  await record({
    visitor_id: 'v_other',
    type: 'viewed',
    properties: { plan: '42', seats: 42, name: 'anna' },
  });

  await erase(app, tenant, { email: 'zoe@example.com', suppress: false });
  const texts = await plainRows(
    app,
    app.models.Message.find({ customerId: tenant.customerId }).sort({ seq: 1 }),
  );
  expect(texts.map(({ text }) => text)).toEqual([
    "'[erased]' and -[erased]--",
    'https://example.com/?to=%20[erased]',
    '[erased]',
    '[erased], [erased] and [erased]',
  ]);
  const [event] = await plainRows(app, app.models.PreviewEvent.find({ customerId: tenant.customerId }));
  expect(JSON.parse(event?.properties ?? '')).toEqual({ plan: '42', seats: 42, name: 'anna' });
  expect(await stored(app, tenant)).not.toMatch(/zoe|quist/i);
});
