import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../src/features/outbox/event-catalog.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { clientOf } from '../client-package/support.ts';
import { pull, pullAnswer } from '../event-feeds/support.ts';
import { erase } from '../privacy/privacy-support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { startProfile } from '../support/profile.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
} from './support.ts';

const SIGNUP = { type: 'signup', goal: null, properties: { plan: 'pro', seats: 3 } };
const NOWHERE = { url: 'http://127.0.0.1:9', paused: true };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Records an event of a custom type. */
const signUp = (tenant: TestTenant, more: Record<string, unknown> = {}) =>
  postConversion(app, tenant, { ...SIGNUP, ...more });

const refusalOf = async (tenant: TestTenant, input: Record<string, unknown>) => {
  const answer = await app.request('POST', endpointsPath(tenant.customerId), {
    key: tenant.write,
    body: { ...NOWHERE, ...input },
  });
  expect(answer.status).toBe(422);
  return answer.body.error?.details;
};

describe('an endpoint that names a custom type', () => {
  test('receives its events, signed, with everything that was recorded', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['custom.signup'] });
    const body = await signUp(tenant, { value: 2.5, occurred_at: '2026-01-31T09:30:00Z' });
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope).toEqual({
      event: 'custom.signup',
      data: {
        customerId: tenant.customerId,
        orgId: tenant.tenant.orgId,
        customEventId: body.id,
        type: 'signup',
        visitorId: 'v_1',
        conversationId: null,
        goal: null,
        value: 2.5,
        properties: SIGNUP.properties,
        occurredAt: '2026-01-31T09:30:00.000Z',
      },
      ts: expect.any(Number),
    });
    const now = Number(request?.headers['x-svc-timestamp']);
    expect(request && receiver.verifies(request, endpoint.secret, now)).toBe(true);
    expect(request?.headers['webhook-id']).toBe(body.event_id);
    const delivered = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect(delivered).toMatchObject({ event: 'custom.signup', eventId: body.event_id });
    const list = await app.request('GET', '/v1/events?type=signup', { key: tenant.read });
    expect(list.body.data).toMatchObject([{ id: body.id, event_id: body.event_id }]);
  });

  test('receives no other type, and an endpoint without `events` or with others receives none', async () => {
    const { tenant, receiver } = await listening(app, 200, {
      events: ['custom.signup', 'conversion.recorded'],
    });
    const unnamed = await createEndpoint(app, tenant, NOWHERE);
    const other = await createEndpoint(app, tenant, {
      ...NOWHERE,
      events: ['custom.sign', 'custom.signup.done'],
    });
    expect(await signUp(tenant, { type: 'page.viewed' })).toMatchObject({ event_id: null });
    expect(await signUp(tenant, { type: 'signup2' })).toMatchObject({ event_id: null });
    await signUp(tenant);
    await receiver.waitFor(1);
    expect(receiver.received.map(({ envelope }) => envelope.event)).toEqual(['custom.signup']);
    for (const endpoint of [unnamed, other]) expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
    expect((await recordedEvents(app.models, { customerId: tenant.customerId })).count).toBe(3);
    expect(await app.models.Event.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });

  test('receives events from the change that names the type until the one that does not', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const name = (events: string[] | null) =>
      app.request('PATCH', endpoint.path, { key: tenant.write, body: { events } });
    expect(await signUp(tenant)).toMatchObject({ event_id: null });
    expect((await name(['custom.signup'])).body).toMatchObject({ events: ['custom.signup'] });
    const { event_id } = await signUp(tenant);
    await name(null);
    expect(await signUp(tenant)).toMatchObject({ event_id: null });
    expect(await deliveriesOf(app, tenant, endpoint)).toMatchObject([{ eventId: event_id }]);
  });

  test('filters by what the customer put into the properties', async () => {
    const filter = { 'data.properties.plan': 'pro', 'data.properties.seats': { $gte: 3 } };
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['custom.signup'], filter });
    const { event_id: left } = await signUp(tenant, { properties: { plan: 'pro', seats: 1 } });
    await signUp(tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope.data).toMatchObject({ properties: { seats: 3 } });
    const explained = await clientOf(app, tenant).events.explain(String(left), { endpointId: endpoint.id });
    expect(explained).toMatchObject({ reason: 'filtered_out', event: 'custom.signup', value: '1' });
  });

  test('receives a thin body and a test event of the type', async () => {
    const settings = { events: ['custom.signup'], payload: 'thin' };
    const { tenant, endpoint, receiver } = await listening(app, 200, settings);
    const { id } = await signUp(tenant);
    const [thin] = await receiver.waitFor(1);
    expect(thin?.envelope.event).toBe('custom.signup');
    expect(thin?.envelope.data).toEqual({
      ...{ customerId: tenant.customerId, orgId: tenant.tenant.orgId },
      ...{ customEventId: id, conversationId: null },
    });
    const send = (body: Record<string, unknown>) =>
      app.request('POST', `${endpoint.path}/test`, { key: tenant.write, body });
    expect((await send({ event: 'custom.login', data: { type: 'other', value: 'x' } })).status).toBe(422);
    expect((await send({ event: 'custom.login' })).status).toBe(202);
    await receiver.waitFor(2);
    const delivery = await deliveryLike(app, tenant, endpoint, {
      event: 'custom.login',
      status: 'succeeded',
    });
    const detail = await app.request('GET', `${endpoint.path}/deliveries/${delivery.id}`, {
      key: tenant.read,
    });
    expect(JSON.parse(String(detail.body.payload)).data).toMatchObject({ type: 'login', test: true });
  });

  test('is named by `explain` for an endpoint that would receive it by name only', async () => {
    const { tenant } = await listening(app, 200, { events: ['custom.signup'] });
    const { id: endpointId } = await createEndpoint(app, tenant, NOWHERE);
    const { event_id } = await signUp(tenant);
    expect(await clientOf(app, tenant).events.explain(String(event_id), { endpointId })).toMatchObject({
      reason: 'not_subscribed',
      message:
        'The events of the endpoint do not include custom.signup, which all customer events do not contain: name it in the events of the endpoint.',
    });
  });

  test('selects its events and deliveries in lists, by an index', async () => {
    const events = ['custom.signup', 'custom.login', 'conversion.recorded'];
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, events });
    const { event_id: signup } = await signUp(tenant);
    const { event_id: login } = await signUp(tenant, { type: 'login' });
    await postConversion(app, tenant);
    const client = clientOf(app, tenant);
    expect((await client.events.list({ type: 'custom.login' })).data).toMatchObject([{ id: login }]);
    expect((await client.events.list()).data).toHaveLength(3);
    for (const filter of ['', '&status=pending']) {
      const path = `${endpoint.path}/deliveries?event=custom.signup${filter}`;
      const { body } = await app.request('GET', path, { key: tenant.read });
      expect(body.data).toMatchObject([{ eventId: signup, event: 'custom.signup' }]);
    }
    const all = await app.graphql(
      '{ webhookDeliveries(event: "custom.login") { edges { node { eventId event } } } }',
      {},
      tenant.read,
    );
    expect(all.body.data?.webhookDeliveries).toEqual({
      edges: [{ node: { eventId: login, event: 'custom.login' } }],
    });
    const both = await app.request(
      'GET',
      `${endpoint.path}/deliveries?event=custom.login&eventId=${signup}`,
      {
        key: tenant.read,
      },
    );
    expect(both.body.data).toEqual([]);
  });
});

describe('an endpoint that names custom.*, as the catalog does', () => {
  const ALL = { events: ['custom.*'] };

  test('receives the events of all custom types, each with its own name, and no others', async () => {
    const { tenant, receiver } = await listening(app, 200, ALL);
    const named = await createEndpoint(app, tenant, { ...NOWHERE, events: ['custom.login'] });
    await signUp(tenant);
    await postConversion(app, tenant);
    const { event_id: login } = await signUp(tenant, { type: 'login' });
    const received = await receiver.waitFor(2);
    expect(received.map(({ envelope }) => envelope.event).toSorted()).toEqual([
      'custom.login',
      'custom.signup',
    ]);
    expect(await deliveriesOf(app, tenant, named)).toMatchObject([{ eventId: login }]);
  });

  test('is one of all the names of the catalog', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, events: EVENT_NAMES });
    await signUp(tenant);
    const received = (await deliveriesOf(app, tenant, endpoint)).map(({ event }) => event);
    expect(received).toContain('custom.signup');
  });

  test('filters by the properties and the name of any type', async () => {
    const { tenant, receiver } = await listening(app, 200, {
      ...ALL,
      filter: { event: 'custom.signup', 'data.properties.plan': 'pro' },
    });
    await signUp(tenant, { type: 'login' });
    await signUp(tenant, { properties: { plan: 'free' } });
    await signUp(tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope).toMatchObject({
      event: 'custom.signup',
      data: { properties: { plan: 'pro' } },
    });
  });

  test.each(['custom.*', 'custom.Signup', 'conversion.recordd'])(
    'refuses a filter by the event %s, also in a change, which changes nothing',
    async (event) => {
      const tenant = await app.newTenant();
      const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, ...ALL });
      const filter = { event };
      const problem = {
        path: 'filter.event',
        message: expect.stringContaining('such as custom.page.viewed'),
      };
      expect(await refusalOf(tenant, { ...ALL, filter })).toEqual([problem]);
      const change = { key: tenant.write, body: { filter } };
      const answer = await app.request('PATCH', endpoint.path, change);
      expect([answer.status, answer.body.error?.details]).toEqual([422, [problem]]);
      const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
      expect(body).toMatchObject({ filter: null });
      const query = `?events=custom.*&filter=${encodeURIComponent(JSON.stringify(filter))}`;
      expect(await pullAnswer(app, tenant, query)).toMatchObject({ status: 422 });
    },
  );

  test('finds the events and deliveries of all custom types by it', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, {
      ...NOWHERE,
      events: [...ALL.events, 'conversion.recorded'],
    });
    const { event_id: signup } = await signUp(tenant);
    await postConversion(app, tenant);
    const { event_id: login } = await signUp(tenant, { type: 'login' });
    const client = clientOf(app, tenant);
    expect((await client.events.list({ type: 'custom.*' })).data).toMatchObject([
      { id: login },
      { id: signup },
    ]);
    for (const filter of ['', '&status=pending', `&eventId=${login}`]) {
      const path = `${endpoint.path}/deliveries?event=custom.*${filter}`;
      const { body } = await app.request('GET', path, { key: tenant.read });
      const found = filter.includes('eventId') ? [login] : [login, signup];
      expect(body.data).toMatchObject(found.map((eventId) => ({ eventId })));
    }
  });
});

describe('the name of a custom type', () => {
  test.each([
    'custom.',
    'custom.page.*',
    '*',
    'custom.Signup',
    'custom',
    'signup',
    `custom.${'x'.repeat(65)}`,
    'custom.a,b',
  ])('is refused as %s', async (name) => {
    const details = await refusalOf(await app.newTenant(), { events: [name] });
    expect(details).toEqual([
      {
        path: 'events.0',
        message: expect.stringMatching(/^Must be one of .* or custom\. and a custom type/),
      },
    ]);
  });

  test('is refused as custom.conversion, with the name of conversions', async () => {
    expect(await refusalOf(await app.newTenant(), { events: ['custom.conversion'] })).toEqual([
      { path: 'events.0', message: 'Conversions are no custom type; use conversion.recorded.' },
    ]);
  });

  test('is one of at most 100 that an endpoint names', async () => {
    const tenant = await app.newTenant();
    const events = Array.from({ length: 100 }, (_, index) => `custom.t${index}`);
    await createEndpoint(app, tenant, { ...NOWHERE, events });
    expect(await refusalOf(tenant, { events: [...events, 'custom.more'] })).toMatchObject([
      { path: 'events' },
    ]);
  });

  test.each(['__proto__', 'constructor.name', 'a..b', 'a.$where', '0'])(
    'has no field data.properties.%s in a filter',
    async (key) => {
      const filter = { [`data.properties.${key}`]: 1 };
      const details = await refusalOf(await app.newTenant(), { events: ['custom.signup'], filter });
      expect(details).toMatchObject([{ path: `filter.data.properties.${key}` }]);
    },
  );
});

describe('a feed that names a custom type', () => {
  test('has its events from that pull on, also of a customer without endpoints', async () => {
    const tenant = await app.newTenant();
    await signUp(tenant);
    const first = await pull(app, tenant, '?events=custom.signup,conversion.recorded');
    expect(first.data).toEqual([]);
    const { event_id } = await signUp(tenant);
    await signUp(tenant, { type: 'login' });
    await postConversion(app, tenant);
    const page = await pull(app, tenant, '?events=custom.signup,conversion.recorded');
    expect(page.data.map(({ event }) => event)).toEqual(['custom.signup', 'conversion.recorded']);
    expect(page.data[0]?.id).toBe(event_id);
    expect((await pull(app, tenant, '?type=custom.signup')).data).toHaveLength(1);
    expect((await pull(app, tenant)).data.map(({ event }) => event)).toEqual(['conversion.recorded']);
  });

  test('has the events of all custom types from the pull on that names custom.*', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, '?events=custom.*');
    const { event_id: signup } = await signUp(tenant);
    await postConversion(app, tenant);
    const { event_id: login } = await signUp(tenant, { type: 'login' });
    const page = await pull(app, tenant, '?events=custom.*');
    expect(page.data.map(({ id }) => id)).toEqual([signup, login]);
    expect((await pull(app, tenant, '?type=custom.login')).data).toMatchObject([{ id: login }]);
  });

  test('names at most 100 over its lifetime', async () => {
    const tenant = await app.newTenant();
    const names = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `custom.t${from + index}`).join(',');
    await pull(app, tenant, `?events=${names(0, 100)}`);
    await pull(app, tenant, `?events=${names(0, 50)}`);
    await expect(pull(app, tenant, `?events=${names(100, 1)}`)).rejects.toThrow(
      /CONFLICT.*100 is the maximum/,
    );
    await expect(pull(app, tenant, `?events=${names(0, 101)}`)).rejects.toThrow(/422/);
  });

  test('names at most 100 under concurrent pulls as well', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((letter) => {
        const names = Array.from({ length: 60 }, (_, index) => `custom.${letter}${index}`);
        return pullAnswer(app, tenant, `?events=${names.join(',')}`);
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const [feed] = await app.models.EventFeed.find({ customerId: tenant.customerId }).lean();
    expect(feed?.customTypes).toHaveLength(60);
    const same = Array.from({ length: 60 }, (_, index) => `custom.same${index}`).join(',');
    await pull(app, tenant, '', 'same');
    await Promise.all([1, 2, 3].map(() => pull(app, tenant, `?events=${same}`, 'same')));
  });

  test('costs a feed that selects none of them few reads', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, '?type=custom.signup', 'custom');
    for (let index = 0; index < 60; index += 1) await signUp(tenant);
    await postConversion(app, tenant);
    await pull(app, tenant, '?type=custom.signup&limit=100', 'custom');
    const profile = await startProfile(app.models.Event.db.db);
    const page = await pull(app, tenant, '?limit=1');
    const commands = await profile.end();
    expect(page.data.map(({ event }) => event)).toEqual(['conversion.recorded']);
    const reads = await commands.countDocuments({
      'command.find': 'eventLog',
      'command.filter.sequence': { $exists: true },
    });
    expect(reads).toBeLessThan(5);
  });
});

test('an erasure removes the published events of a custom type, and a suppressed person sends none of the properties', async () => {
  const tenant = await app.newTenant();
  await createEndpoint(app, tenant, { ...NOWHERE, events: ['custom.signup'] });
  const { event_id } = await signUp(tenant, { visitor_id: 'v_erased' });
  await signUp(tenant, { visitor_id: 'v_other', properties: { visitorId: 'v_erased' } });
  await app.models.ArchivedEvent.create({
    _id: newObjectId(app.clock.now()),
    customerId: tenant.customerId,
    conversationId: newObjectId(app.clock.now()).toHexString(),
    event: 'custom.*',
    customType: 'signup',
    payload: JSON.stringify({ data: { visitorId: 'v_other', properties: { visitorId: 'v_erased' } } }),
    createdAt: app.clock.now(),
  });
  await erase(app, tenant, { visitorId: 'v_erased', suppress: true });
  expect(await app.models.ArchivedEvent.countDocuments({ customerId: tenant.customerId })).toBe(1);
  expect(await app.models.Event.countDocuments({ _id: event_id })).toBe(0);
  expect(await app.models.Event.countDocuments({ customerId: tenant.customerId })).toBe(1);
  const { event_id: later } = await signUp(tenant, { visitor_id: 'v_erased' });
  const [stored] = await plainRows(app, app.models.Event.find({ _id: later, customerId: tenant.customerId }));
  expect(JSON.parse(String(stored?.payload)).data).toMatchObject({
    visitorId: '[suppressed]',
    properties: null,
  });
});
