import { describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../src/features/outbox/event-catalog.ts';
import { createBrokenEndpoint } from '../http/support.ts';
import { codeOf, query, send, server } from './endpoint.ts';

const CREATE =
  'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
const RECORD = 'mutation ($input: RecordEventInput!) { recordEvent(input: $input) { id } }';

const detailsOf = async (text: string, variables: Record<string, unknown>) =>
  (await query(text, variables)).errors?.[0]?.extensions.details;

describe('an unreadable request is a 400', () => {
  test.each([
    ['a body without a query', { variables: {} }],
    ['a query that is no text', { query: 5 }],
    ['a body that is no object', 'query'],
    ['a body that is null', null],
    ['an unknown member', { query: '{ viewer { scope } }', id: 1 }],
    ['variables that are a list', { query: '{ viewer { scope } }', variables: [1] }],
    ['an empty document', { query: '' }],
    ['a syntax error', { query: '{ viewer { scope' }],
    ['an unknown field', { query: '{ viewer { scope password } }' }],
    ['a literal of the wrong type', { query: '{ webhookEndpoint(id: "x") { id } }' }],
    ['a date that is none', { query: '{ activity(since: "2026-02-30T00:00:00Z") { events { count } } }' }],
    ['two operations and no name', { query: 'query A { viewer { scope } } query B { viewer { scope } }' }],
    ['a name that no operation has', { query: 'query A { viewer { scope } }', operationName: 'B' }],
  ])('%s', async (_what, body) => {
    const reply = await send(body);
    expect(reply.status).toBe(400);
    expect(reply).not.toHaveProperty('data');
    for (const { extensions } of reply.errors ?? [])
      expect(extensions).toMatchObject({ code: 'BAD_REQUEST', requestId: 'req-1' });
  });

  test('a subscription without Accept: text/event-stream', async () => {
    const reply = await query('subscription { webhookDeliveryUpdated { id } }');
    expect(reply).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  });
});

describe('an insufficient scope is FORBIDDEN', () => {
  test.each([
    ['read', CREATE, { input: { url: '' } }],
    ['read', 'mutation { deleteWebhookEndpoint(id: 1) { id } }', {}],
    ['write', '{ tenants(first: 0) { edges { cursor } } }', {}],
    ['write', 'mutation { revokeApiKey(id: "x") { id } }', {}],
  ] as const)('for a %s key, before its input is validated: %s', async (scope, text, variables) => {
    const reply = await query(text, variables, scope);
    expect(reply).toMatchObject({ status: 200, data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(reply.errors?.[0]?.extensions).not.toHaveProperty('details');
  });
});

describe('invalid input is VALIDATION_FAILED, with the path of each error', () => {
  test('for a missing, a mistyped and an unknown member of a variable', async () => {
    const details = await detailsOf(CREATE, { input: { events: [5], color: 'red' } });
    expect(details?.map(({ path }) => path).sort()).toEqual(['input.color', 'input.events.0', 'input.url']);
  });

  test('for a variable that is missing, null or no date', async () => {
    expect(await detailsOf(CREATE, {})).toMatchObject([{ path: 'input' }]);
    expect(await detailsOf(CREATE, { input: null })).toMatchObject([{ path: 'input' }]);
    const text = 'query ($since: DateTime!) { activity(since: $since) { events { count } } }';
    for (const since of ['banana', '2026-01-31Z', '2026-01-31T09:30:00', 1_769_851_800]) {
      expect(await detailsOf(text, { since })).toMatchObject([
        { path: 'since', message: expect.stringMatching(/ISO 8601/) },
      ]);
    }
  });

  test('for an unknown event name, with the valid names', async () => {
    const details = await detailsOf(CREATE, {
      input: { url: 'https://example.com', events: ['conversation.ended', 'nope'] },
    });
    expect(details).toEqual([
      {
        path: 'input.events.1',
        message: `Must be one of ${EVENT_NAMES.join(', ')}, or custom. and a custom type, such as custom.page.viewed.`,
      },
    ]);
  });

  test.each([
    ['an empty list of events', { url: 'https://example.com', events: [] }, 'input.events'],
    [
      'an event named twice',
      { url: 'https://example.com', events: ['outcome.marked', 'outcome.marked'] },
      'input.events',
    ],
    ['an empty address', { url: '' }, 'input.url'],
    ['an address of 2,049 characters', { url: `https://example.com/${'x'.repeat(2_029)}` }, 'input.url'],
    [
      'a description of 501 characters',
      { url: 'https://example.com', description: 'x'.repeat(501) },
      'input.description',
    ],
  ])('%s', async (_what, input, path) => {
    expect(await detailsOf(CREATE, { input })).toMatchObject([{ path }]);
  });

  test.each([
    ['a conversion without a goal', { type: 'conversion', visitorId: 'v' }, 'input.goal'],
    ['an upper-case type', { type: 'Seen', visitorId: 'v' }, 'input.type'],
    ['a type of 65 characters', { type: 'x'.repeat(65), visitorId: 'v' }, 'input.type'],
    ['an empty visitor', { type: 'seen', visitorId: '' }, 'input.visitorId'],
    [
      'properties six levels deep',
      { type: 'seen', visitorId: 'v', properties: { a: { b: { c: { d: { e: {} } } } } } },
      'input.properties',
    ],
    [
      'properties of more than 16 KiB',
      { type: 'seen', visitorId: 'v', properties: { a: 'x'.repeat(16_384) } },
      'input.properties',
    ],
    ['properties that are a list', { type: 'seen', visitorId: 'v', properties: [1] }, 'input.properties'],
  ])('%s', async (_what, input, path) => {
    expect(await detailsOf(RECORD, { input })).toMatchObject([{ path }]);
  });

  test.each([0, -1, 101, 2 ** 31 - 1])('for a page of %i rows', async (first) => {
    expect(
      await detailsOf('query ($n: Int) { webhookEndpoints(first: $n) { edges { cursor } } }', { n: first }),
    ).toMatchObject([{ path: 'first', message: 'Must be 1 to 100.' }]);
  });
});

test('an internal failure has the code INTERNAL and no details, and its cause is logged with the request ID', async () => {
  const id = await createBrokenEndpoint(server);
  const { status, errors } = await query(`{ webhookEndpoint(id: ${id}) { createdAt } }`);
  expect(status).toBe(200);
  expect(errors).toEqual([
    {
      message: 'Internal error.',
      path: ['webhookEndpoint', 'createdAt'],
      locations: expect.any(Array),
      extensions: { code: 'INTERNAL', requestId: 'req-1' },
    },
  ]);
  const line = server.log.find(({ msg }) => msg === 'request failed');
  expect(JSON.stringify(line)).toContain('toISOString');
});

test('an error of one field does not prevent the result of a nullable sibling', async () => {
  const id = await createBrokenEndpoint(server);
  const reply = await query(`{ viewer { scope } webhookEndpoint(id: ${id}) { createdAt } }`);
  expect(reply).toMatchObject({ status: 200, data: { viewer: { scope: 'write' }, webhookEndpoint: null } });
  expect(codeOf(reply)).toBe('INTERNAL');
});
