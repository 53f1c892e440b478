import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { edgeResource, requiredAccess } from '../../schema/required-access.ts';
import type { Scope } from '../../src/features/tenants/scopes.ts';
import { KEY_RESOURCES, type KeyResource } from '../../src/shared/key-limits.ts';
import { startConversation } from '../conversations/support.ts';
import { ROUTES } from '../http/samples.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startReceiver } from '../support/receiver.ts';
import { subscribe } from '../support/subscription.ts';
import { createEndpoint, deliveryLike, endpointsPath } from '../webhooks/support.ts';

const { graphql: schema } = buildSchemas();
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

/** Creates a key of the tenant that is limited to resources. */
const limitedKey = async (resources: KeyResource[], scope: Exclude<Scope, 'admin'> = 'write') =>
  app.services.keys.create({ scope, customerId: tenant.customerId, expiresAt: null, resources });

type Field = GraphQLField<unknown, unknown>;

/** A literal of a type that passes the validation of a document. */
function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type))
    return `{ ${literals(Object.values(type.getFields()), isRequiredInputField)} }`;
  return { Int: '1', Float: '1', Boolean: 'true', JSON: '{}' }[type.name] ?? '"2026-01-31T09:30:00Z"';
}

const literals = <A extends GraphQLArgument | GraphQLInputField>(
  all: readonly A[],
  isRequired: (arg: A) => boolean,
): string =>
  all
    .filter(isRequired)
    .map(({ name, type }) => `${name}: ${literalOf(type)}`)
    .join(', ');

const documentOf = (operation: string, { name, args, type }: Field): string => {
  const given = literals(args, isRequiredArgument);
  const selection = isObjectType(getNamedType(type)) ? ' { __typename }' : '';
  return `${operation} { ${name}${given && `(${given})`}${selection} }`;
};

const ROOT_FIELDS = (['query', 'mutation', 'subscription'] as const).flatMap((operation) => {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return Object.values(roots[operation]?.getFields() ?? {}).map((field) => ({ operation, field }));
});

/** Whether a refusal for the lack of a resource is due. */
const lacks = (resource: KeyResource, required: readonly string[]) =>
  required.some((name) => name !== 'any' && name !== resource);

const message = (required: string) =>
  required === 'account'
    ? 'An API key that is limited to resources cannot call this operation.'
    : `API key lacks the required resource: ${required}.`;

describe.each(KEY_RESOURCES)('a key that is limited to %s', (resource) => {
  test('may call the root fields of that resource only', async () => {
    const { key } = await limitedKey([resource]);
    for (const { operation, field } of ROOT_FIELDS) {
      const { scope, resource: required } = requiredAccess(field);
      if (scope === 'admin' || !lacks(resource, [required])) continue;
      const headers: Record<string, string> =
        operation === 'subscription' ? { accept: 'text/event-stream' } : {};
      const { body } = await app.graphql(documentOf(operation, field), {}, key, headers);
      expect(JSON.stringify(body), field.name).toContain(message(required));
    }
  });

  test('may call the routes of that resource only', async () => {
    const { key } = await limitedKey([resource]);
    for (const { pattern, method, scope, resource: root, edges } of ROUTES) {
      if (scope === 'admin') continue;
      const path = pattern.replace(':customerId', String(tenant.customerId)).replaceAll(/:\w+/g, 'x');
      const { status, body } = await app.request(method, path, { key });
      const refused = lacks(resource, [root, ...edges]);
      expect([path, status === 403]).toEqual([path, refused]);
      if (refused) expect(body.error).toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});

test('every edge to objects of another resource names it', () => {
  const ownerOf = new Map<string, string>();
  for (const { field } of ROOT_FIELDS) {
    const { resource } = requiredAccess(field);
    const type = getNamedType(field.type);
    if (!isObjectType(type) || resource === 'account' || resource === 'any') continue;
    const edges = type.getFields().edges;
    const edge = edges && getNamedType(edges.type);
    const node = isObjectType(edge) ? edge.getFields().node : null;
    ownerOf.set(node ? getNamedType(node.type).name : type.name, resource);
  }
  expect(ownerOf.get('WebhookDelivery')).toBe('webhooks');
  const unnamed = Object.values(schema.getTypeMap()).flatMap((type) => {
    const owner = ownerOf.get(type.name);
    if (!isObjectType(type) || owner === undefined) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const target = ownerOf.get(getNamedType(field.type).name);
      const isNamed = target === undefined || target === owner || edgeResource(field) === target;
      return isNamed ? [] : [`${type.name}.${field.name}`];
    });
  });
  expect(unnamed).toEqual([]);
});

describe('a limited key', () => {
  const EDGE = `query { webhookEvents(first: 1) { ...Page } }
    fragment Page on WebhookEventConnection { edges { node { id deliveries { id } } } }`;

  test('follows an edge to another resource only with both, also within a fragment', async () => {
    const { key } = await limitedKey(['events']);
    const refused = await app.graphql(EDGE, {}, key);
    expect(refused.body).toMatchObject({
      data: null,
      errors: [{ message: message('webhooks'), extensions: { code: 'FORBIDDEN' } }],
    });
    const both = await limitedKey(['events', 'webhooks']);
    expect((await app.graphql(EDGE, {}, both.key)).body).toMatchObject({ data: { webhookEvents: {} } });
  });

  test('reads the events of a conversation only with both resources', async () => {
    const { id } = await startConversation(app, tenant);
    const query = `{ conversation(id: "${id}") { id events { payload } } }`;
    const refused = await app.graphql(query, {}, (await limitedKey(['conversations'])).key);
    expect(refused.body).toMatchObject({ data: null, errors: [{ message: message('events') }] });
    const both = await limitedKey(['conversations', 'events']);
    expect((await app.graphql(query, {}, both.key)).body).toMatchObject({ data: { conversation: { id } } });
  });

  test('reads its limits with `viewer`, and keeps its scope', async () => {
    const { key } = await limitedKey(['events', 'drift'], 'read');
    const { body } = await app.graphql('{ viewer { scope resources } }', {}, key);
    expect(body).toEqual({ data: { viewer: { scope: 'read', resources: ['events', 'drift'] } } });
    const event = { type: 'signup', visitor_id: 'v' };
    const refused = await app.request('POST', '/v1/events', { key, body: event });
    expect(refused.body.error).toMatchObject({ message: 'API key lacks the required scope: write.' });
  });

  test('is refused with an entry in the audit log', async () => {
    const { key, apiKey } = await limitedKey(['events']);
    await app.graphql('{ conversations(first: 1) { edges { cursor } } }', {}, key);
    await app.services.audit.flushRefusals();
    const { edges } = await app.services.audit.list(tenant.customerId, {
      ...{ limit: 1, after: null, action: 'conversations', actor: apiKey.id },
    });
    expect(edges[0]?.node).toMatchObject({
      outcome: 'refused',
      target: { type: 'resource', id: 'conversations' },
    });
  });

  test('that is narrowed loses its subscriptions and its sessions at once', async () => {
    const { key, apiKey } = await limitedKey(['conversations', 'events']);
    const before = await app.services.keys.authenticate(`Bearer ${key}`);
    const { token } = await app.services.consoleSessions.start(before, null);
    app.clock.advance(1);
    const stream = await subscribe(app, key, 'subscription { conversationUpdated { id } }');
    const wider = await app.services.keys.update(apiKey.id, { resources: null });
    expect(wider.resources).toBeNull();
    await startConversation(app, tenant);
    await eventually(() => stream.updates.length === 1);
    await app.services.keys.update(apiKey.id, { resources: ['events'] });
    await eventually(() => stream.over());
    await expect(app.services.consoleSessions.authenticate(token)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const { body } = await app.graphql('{ conversations(first: 1) { edges { cursor } } }', {}, key);
    expect(body).toMatchObject({ errors: [{ message: message('conversations') }] });
  });
});

describe('events about the account', () => {
  const RESTRICTED = '{"restricted":true}';
  const url = 'https://receiver.example.com/hooks';
  const thief = 'https://thief.example.com/hooks';
  const account = ['audit.recorded', 'person.erased', 'key.expiring'];
  const refusal = { status: 403, body: { error: { code: 'FORBIDDEN', message: message('account') } } };

  test.each(account)('are not sent where a limited key wants %s', async (name) => {
    const { key, apiKey } = await limitedKey(['webhooks', 'events']);
    const path = endpointsPath(tenant.customerId);
    const body = { url, events: ['conversation.started', name] };
    expect(await app.request('POST', path, { key, body })).toMatchObject(refusal);
    const own = await createEndpoint(app, tenant, { url });
    expect(await app.request('PATCH', own.path, { key, body: { events: [name] } })).toMatchObject(refusal);
    const test = { key, body: { event: name } };
    expect(await app.request('POST', `${own.path}/test`, test)).toMatchObject(refusal);
    const pull = `/api/v1/customers/${tenant.customerId}/event-feeds/limited`;
    for (const query of [`events=${name}`, `type=${name}`])
      expect(await app.request('GET', `${pull}?${query}`, { key })).toMatchObject(refusal);
    for (const selected of [`events: ["${name}"]`, `type: "${name}"`])
      expect(
        (await app.graphql(`{ eventFeed(name: "limited", ${selected}) { cursor } }`, {}, key)).body,
      ).toMatchObject({ errors: [{ message: message('account') }] });

    const named = await createEndpoint(app, tenant, body);
    for (const change of [
      { url: thief },
      { url: thief, events: ['conversation.started'] },
      { events: null },
      { filter: { 'data.customerId': { $gt: 0 } } },
    ])
      expect(await app.request('PATCH', named.path, { key, body: change })).toMatchObject(refusal);
    const settings = { ...body, filter: null, paused: true };
    expect((await app.request('PATCH', named.path, { key, body: settings })).status).toBe(200);

    await app.services.audit.flushRefusals();
    const { edges } = await app.services.audit.list(tenant.customerId, {
      ...{ limit: 10, after: null, action: 'createWebhookEndpoint', actor: apiKey.id },
    });
    expect(edges[0]?.node).toMatchObject({ outcome: 'refused', target: { type: 'resource', id: 'account' } });
    for (const { path: made } of [own, named]) await app.request('DELETE', made, { key: tenant.write });
  });

  test('stay at the URL that they were sent to, also once the endpoint names none', async () => {
    const { key } = await limitedKey(['webhooks']);
    const endpoint = await createEndpoint(app, tenant, { url, events: ['audit.recorded'] });
    const change = (by: string, body: Record<string, unknown>) =>
      app.request('PATCH', endpoint.path, { key: by, body });
    await change(tenant.write, { paused: true });
    await deliveryLike(app, tenant, endpoint, { event: 'audit.recorded' });
    expect((await change(tenant.write, { events: null })).status).toBe(200);
    expect(await change(key, { url: thief })).toMatchObject(refusal);
    expect((await change(key, { description: 'audit' })).body).toMatchObject({ url });
    expect((await change(tenant.write, { url: thief })).body).toMatchObject({ url: thief });
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });

  test('are explained to a limited key without their data', async () => {
    const { key } = await limitedKey(['webhooks']);
    const filter = { 'data.action': 'none' };
    const endpoint = await createEndpoint(app, tenant, { url, events: ['audit.recorded'], filter });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: true } });
    const events = `/api/v1/customers/${tenant.customerId}/events`;
    const newest = await app.request('GET', `${events}?type=audit.recorded&limit=1`, { key: tenant.read });
    const [event] = newest.body.data as unknown as { id: string }[];
    const explain = (by: string) =>
      app.request('GET', `${events}/${event?.id}/explain?endpointId=${endpoint.id}`, { key: by });
    const clause = 'data.action $eq "none"';
    expect((await explain(key)).body).toMatchObject({
      ...{ reason: 'filtered_out', clause, value: null },
      message: `The event does not fulfil the clause ${clause}.`,
    });
    expect((await explain(tenant.read)).body).toMatchObject({ clause, value: '"updateWebhookEndpoint"' });
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });

  test('are read by a limited key without their payload, on every surface', async () => {
    const { key } = await limitedKey(['webhooks', 'events']);
    const endpoint = await createEndpoint(app, tenant, { url, events: ['audit.recorded'] });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: true } });
    const QUERY = `{ webhookEvents(type: "audit.recorded", first: 1) { edges { node { id payload } } }
      webhookDeliveries(endpointId: ${endpoint.id}, first: 1) { edges { node { id payload sourceEvent { payload } } } } }`;
    const read = async (reader: string) => {
      const { data } = (await app.graphql(QUERY, {}, reader)).body as unknown as {
        data: Record<string, { edges: { node: Record<string, unknown> & { id: string } }[] }>;
      };
      return { event: data.webhookEvents?.edges[0]?.node, delivery: data.webhookDeliveries?.edges[0]?.node };
    };
    const { event, delivery } = await read(key);
    expect(event).toMatchObject({ payload: RESTRICTED });
    expect(delivery).toMatchObject({ payload: RESTRICTED, sourceEvent: { payload: RESTRICTED } });
    expect(JSON.stringify(await read(tenant.read))).toContain('auditEntryId');

    const events = `/api/v1/customers/${tenant.customerId}/events`;
    for (const path of [
      `${events}?type=audit.recorded&limit=1`,
      `${events}/${event?.id}`,
      `${endpoint.path}/deliveries/${delivery?.id}`,
    ]) {
      expect(JSON.stringify((await app.request('GET', path, { key })).body)).toContain('restricted');
      const whole = await app.request('GET', path, { key: tenant.read });
      expect(JSON.stringify(whole.body)).toContain('auditEntryId');
    }
    const found = `${endpoint.path}/deliveries?eventId=${event?.id}`;
    const countOf = async (path: string, reader: string) =>
      (await app.request('GET', path, { key: reader })).body.data?.length;
    expect(await countOf(found, key)).toBe(1);
    expect(await countOf(`${found}&text=auditEntryId`, key)).toBe(0);
    expect(await countOf(`${found}&text=auditEntryId`, tenant.read)).toBe(1);
    const everywhere = `${endpoint.path}/deliveries?text=auditEntryId`;
    expect(await countOf(everywhere, key)).toBe(0);
    expect(await countOf(everywhere, tenant.read)).toBeGreaterThan(0);
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });

  test("are not read by a limited key in the response to another key's request, which it repeats", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url, events: ['audit.recorded'] });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { description: 'repeated' } });
    const deliveries = `${endpoint.path}/deliveries?status=succeeded`;
    const id = await eventually(
      async () =>
        (await app.request('GET', deliveries, { key: tenant.read })).body.data?.[0]?.id as unknown as string,
    );
    const RESEND = 'mutation ($id: ID!) { resendWebhookDelivery(id: $id) { id payload } }';
    const resend = (key: string) => app.graphql(RESEND, { id }, key, { 'idempotency-key': 'resend' });
    const first = await resend(tenant.write);
    expect(JSON.stringify(first.body)).toContain('auditEntryId');
    const { key } = await limitedKey(['webhooks', 'events']);
    expect((await resend(key)).body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    expect((await resend(tenant.write)).body).toEqual(first.body);
    // The same request of keys with the same resources, in any order, is one.
    const [one, two] = [await limitedKey(['events', 'webhooks']), await limitedKey(['webhooks', 'events'])];
    const limited = (by: string) => app.graphql(RESEND, { id }, by, { 'idempotency-key': 'limited' });
    const restricted = await limited(one.key);
    expect(restricted.body.data?.resendWebhookDelivery).toMatchObject({ payload: RESTRICTED });
    expect((await limited(two.key)).headers.get('idempotent-replayed')).toBe('true');
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });

  test('are not read by a limited key in what their receiver answers', async () => {
    const { key } = await limitedKey(['webhooks']);
    const receiver = await startReceiver(({ body }) => ({
      status: 200,
      headers: { 'x-echo': 'echo' },
      body,
    }));
    onTestFinished(() => receiver.stop());
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url, events: ['audit.recorded'] });
    await app.newTenant();
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { description: 'echoes' } });
    const deliveries = `${endpoint.path}/deliveries?status=succeeded`;
    const id = await eventually(
      async () => (await app.request('GET', deliveries, { key })).body.data?.[0]?.id as unknown as string,
    );
    const attemptOf = async (reader: string) =>
      (await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: reader })).body.attempts?.[0];
    const whole = await attemptOf(tenant.read);
    expect(JSON.stringify(whole?.responseBody)).toContain('auditEntryId');
    expect(JSON.stringify(whole?.responseHeaders)).toContain('echo');
    expect(await attemptOf(key)).toMatchObject({
      responseStatus: 200,
      responseBody: null,
      responseHeaders: null,
    });
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });

  test('of conversations are read with the resource webhooks, which includes what deliveries contain', async () => {
    const { key } = await limitedKey(['webhooks']);
    const endpoint = await createEndpoint(app, tenant, { url });
    await startConversation(app, tenant);
    const query = `{ webhookDeliveries(endpointId: ${endpoint.id}, first: 1) { edges { node { payload } } } }`;
    expect(JSON.stringify((await app.graphql(query, {}, key)).body)).toContain('visitorId');
    await app.request('DELETE', endpoint.path, { key: tenant.write });
  });
});
