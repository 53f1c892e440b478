import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointDoc } from '../../src/features/webhooks/endpoints/endpoint.model.ts';
import { failedClause } from '../../src/features/webhooks/endpoints/filter-evaluation.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  missEvents,
  postConversion,
} from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const FILTER = { 'data.value': { $gte: 100 } };
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id filter } }
}`;
const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { filter }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('the filter of an endpoint', () => {
  test('selects the events that are sent, and the event names what it has left out', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { filter: FILTER });
    const all = await createEndpoint(app, tenant, { url: receiver.url });
    const small = await postConversion(app, tenant, { value: 99 });
    await postConversion(app, tenant, { value: 100 });
    await receiver.waitFor(3);
    expect(await deliveriesOf(app, tenant, endpoint)).toHaveLength(1);
    expect(await deliveriesOf(app, tenant, all)).toHaveLength(2);
    const stored = await app.models.Event.findById(small.event_id).lean();
    expect(stored?.filteredOut).toEqual([{ endpointId: endpoint.id, clause: 'data.value $gte 100' }]);
    expect(stored?.deliveries).toHaveLength(1);
  });

  test('is changed with PATCH, removed with null, and kept by other changes', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { filter: FILTER });
    const patch = (body: unknown) => app.request('PATCH', endpoint.path, { key: tenant.write, body });
    expect((await patch({ description: 'CRM' })).body.filter).toEqual(FILTER);
    await postConversion(app, tenant, { value: 5 });
    expect((await patch({ filter: { 'data.value': 5 } })).body.filter).toEqual({ 'data.value': 5 });
    await postConversion(app, tenant, { value: 5 });
    expect((await patch({ filter: null })).body.filter).toBeNull();
    await postConversion(app, tenant, { value: 6 });
    await receiver.waitFor(2);
    const values = receiver.received.map(({ envelope }) => (envelope.data as { value: number }).value);
    expect(values.sort()).toEqual([5, 6]);
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).body.filter).toBeNull();
  });

  test('works over GraphQL', async () => {
    const tenant = await app.newTenant();
    const input = { url: URL, events: ['conversation.ended'], filter: { 'data.status': 'converted' } };
    const { body } = await app.graphql(CREATE, { input }, tenant.write);
    const endpoint = body.data?.createWebhookEndpoint?.endpoint;
    expect(endpoint?.filter).toEqual(input.filter);
    const change = async (filter: unknown) =>
      (await app.graphql(UPDATE, { id: endpoint?.id, input: { filter } }, tenant.write)).body;
    expect(await change({ 'data.converted': true })).toMatchObject({
      data: { updateWebhookEndpoint: { filter: { 'data.converted': true } } },
    });
    expect(await change({ 'data.statsu': 'ended' })).toMatchObject({
      errors: [
        {
          extensions: {
            code: 'VALIDATION_FAILED',
            details: [
              {
                path: 'input.filter.data.statsu',
                message: 'No subscribed event type has the field data.statsu; the nearest is data.status.',
              },
            ],
          },
        },
      ],
    });
    expect(await change(null)).toEqual({ data: { updateWebhookEndpoint: { filter: null } } });
  });

  test('is checked against the event types that the endpoint has after the change', async () => {
    const tenant = await app.newTenant();
    const { path } = await createEndpoint(app, tenant, {
      url: URL,
      events: ['conversion.recorded'],
      filter: FILTER,
    });
    const patch = (body: unknown) => app.request('PATCH', path, { key: tenant.write, body });
    const before = await app.request('GET', path, { key: tenant.read });
    expect(await patch({ events: ['conversation.ended'] })).toMatchObject({
      status: 422,
      body: {
        error: {
          details: [
            {
              path: 'events',
              message: expect.stringMatching(/^Must fit the filter of the endpoint\..*data\.value/),
            },
          ],
        },
      },
    });
    expect(await patch({ filter: { 'data.score': 1 } })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'filter.data.score' }] } },
    });
    expect((await app.request('GET', path, { key: tenant.read })).body).toEqual(before.body);
    expect((await patch({ events: ['drift.detected'], filter: { 'data.score': 1 } })).status).toBe(200);
    expect((await patch({ events: null, filter: null })).status).toBe(200);
  });

  test.each([
    [{ url: 5, filter: { 'data.valeu': 1 } }, ['url', 'filter.data.valeu']],
    [{ url: 'ftp://x', filter: { ts: 'now' } }, ['url', 'filter.ts']],
    [{ url: URL, filter: 'data.value > 5' }, ['filter']],
    [{ url: URL, filter: [] }, ['filter']],
    [{ url: URL, filter: { $where: '1' } }, ['filter.$where']],
  ])('%j is a 422 that names every issue', async (body, paths) => {
    const tenant = await app.newTenant();
    const answer = await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ error: { details: paths.map((path) => ({ path })) } });
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('does not concern test events, resends and recoveries', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    await postConversion(app, tenant, { value: 1 });
    const sent = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const { body } = await app.request('PATCH', endpoint.path, {
      key: tenant.write,
      body: { filter: { 'data.value': { $gt: 1_000 } } },
    });
    expect(body.filter).toBeTruthy();
    const post = (path: string, more: object = {}) =>
      app.request('POST', `${endpoint.path}${path}`, { key: tenant.write, body: more });
    await receiver.waitFor(1);
    expect((await post('/test', { event: 'conversion.recorded' })).status).toBe(202);
    await receiver.waitFor(2);
    expect((await post(`/deliveries/${sent.id}/resend`)).status).toBe(202);
    await receiver.waitFor(3);
    const since = new Date(app.clock.now().getTime() - 3_600_000).toISOString();
    expect((await post('/recover', { since })).status).toBe(202);
    await receiver.waitFor(4);
    await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).every(({ status }) => status === 'succeeded'),
    );
  });

  test('decides as MongoDB does', async () => {
    const envelopes = [
      {
        event: 'a',
        data: {
          value: 5,
          text: 'Demo',
          none: null,
          list: [
            { n: 1, ids: ['x'] },
            { n: 9, ids: [] },
          ],
        },
      },
      { event: 'b', data: { value: null, text: 'trial', list: [] } },
      { event: 'c', data: { value: '5', flag: true, list: [{ n: 4, ids: [] }] } },
      { event: 'd', data: { value: [5, 'x'], text: [], list: [[{ n: 4, ids: ['x'] }], {}] } },
    ];
    const operands = [5, 4, 1, '5', 'Demo', 'x', null, true];
    const paths = [
      'event',
      'data.value',
      'data.text',
      'data.none',
      'data.flag',
      'data.list.n',
      'data.list.ids',
    ];
    const conditions = [
      ...operands.flatMap((operand) => [
        { $eq: operand },
        { $ne: operand },
        { $in: [operand, 'b'] },
        { $nin: [operand, 'b'] },
      ]),
      ...[5, 4, '4'].flatMap((operand) => [
        { $gt: operand },
        { $gte: operand },
        { $lt: operand },
        { $lte: operand },
        { $not: { $lt: operand } },
      ]),
      { $exists: true },
      { $exists: false },
      { $regex: '^[Dt]' },
      { $not: { $regex: 'o$' } },
    ];
    const filters: object[] = paths.flatMap((path) => conditions.map((condition) => ({ [path]: condition })));
    filters.push(
      { $or: [{ event: 'a' }, { 'data.flag': true }] },
      { $and: [{ event: 'a' }, { 'data.value': 5 }] },
    );
    const collection = app.models.Event.db.collection<(typeof envelopes)[number]>('filterEnvelopes');
    await collection.insertMany(envelopes);
    for (const filter of filters) {
      const found = await collection.find(filter).sort({ event: 1 }).toArray();
      const endpoint = { filter: JSON.stringify(filter) } as EndpointDoc;
      const included = envelopes.filter((envelope) => failedClause(endpoint, envelope) === null);
      expect(
        included.map(({ event }) => event),
        JSON.stringify(filter),
      ).toEqual(found.map(({ event }) => event));
    }
  });
});
