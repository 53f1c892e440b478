import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { ClientError, GraphQLClient } from 'graphql-request';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS, startServer } from '../http/support.ts';

const VIEWER = '{ viewer { scope } }';
const CREATE =
  'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id url } } }';
const ENDPOINT = 'query ($id: Int!) { webhookEndpoint(id: $id) { id url } }';
const UPDATED = 'subscription { webhookDeliveryUpdated { id status } }';

let server: Awaited<ReturnType<typeof startServer>>;
let url: string;
/** Methods, types and statuses of the requests that clients sent. */
let exchanges: string[] = [];
beforeAll(async () => {
  server = await startServer();
  url = `${server.url}/graphql`;
});
afterAll(() => server.stop());

const headers = (key: string = KEYS.write) => ({ authorization: `Bearer ${key}` });
const input = (name: string) => ({ input: { url: `https://example.com/${name}` } });
const INVALID = { input: { url: '' } };

const recording: typeof fetch = async (target, init) => {
  const response = await fetch(target, init);
  const type = response.headers.get('content-type')?.split(';')[0];
  exchanges.push(`${init?.method ?? 'GET'} ${response.status} ${type}`);
  return response;
};
const recorded = (): string[] => exchanges.splice(0);

describe('Apollo Client with its defaults', () => {
  const clientFor = (key?: string) =>
    new ApolloClient({
      link: new HttpLink({ uri: url, headers: headers(key), fetch: recording }),
      cache: new InMemoryCache(),
    });

  test('executes queries and mutations', async () => {
    exchanges = [];
    const client = clientFor();
    expect((await client.query({ query: gql(VIEWER) })).data).toMatchObject({ viewer: { scope: 'write' } });
    const { data } = await client.mutate<{ createWebhookEndpoint: { endpoint: { id: number } } }>({
      mutation: gql(CREATE),
      variables: input('apollo'),
    });
    const id = data?.createWebhookEndpoint.endpoint.id;
    expect((await client.query({ query: gql(ENDPOINT), variables: { id } })).data).toMatchObject({
      webhookEndpoint: { url: 'https://example.com/apollo' },
    });
    expect(recorded()).toEqual(Array(3).fill('POST 200 application/graphql-response+json'));
  });

  test('receives errors with their codes, whatever the HTTP status', async () => {
    const codeOf = async (promise: Promise<unknown>) => {
      const error = await promise.catch((thrown: unknown) => thrown);
      if (!CombinedGraphQLErrors.is(error)) throw error;
      return error.errors[0]?.extensions;
    };
    exchanges = [];
    const client = clientFor();
    expect(await codeOf(client.query({ query: gql('{ nonsense }') }))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await codeOf(client.mutate({ mutation: gql(CREATE), variables: INVALID }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'input.url' }],
    });
    expect(await codeOf(client.mutate({ mutation: gql(CREATE), variables: { input: {} } }))).toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const readOnly = clientFor(KEYS.read);
    expect(await codeOf(readOnly.mutate({ mutation: gql(CREATE), variables: input('x') }))).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await codeOf(clientFor('wrong').query({ query: gql(VIEWER) }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(recorded()).toEqual(
      [400, 200, 400, 200, 401].map((status) => `POST ${status} application/graphql-response+json`),
    );
  });
});

describe('urql with its defaults', () => {
  const clientFor = (key?: string, fetchSubscriptions = false) =>
    new Client({
      url,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers: headers(key) },
      fetch: recording,
      fetchSubscriptions,
    });

  test('sends queries by GET and mutations by POST', async () => {
    exchanges = [];
    const client = clientFor();
    expect((await client.query(VIEWER, {})).data).toMatchObject({ viewer: { scope: 'write' } });
    expect((await client.query(ENDPOINT, { id: 1 })).data).toMatchObject({ webhookEndpoint: { id: 1 } });
    const { data } = await client.mutation(CREATE, input('urql'));
    expect(data).toMatchObject({
      createWebhookEndpoint: { endpoint: { url: 'https://example.com/urql' } },
    });
    const json = '200 application/graphql-response+json';
    expect(recorded()).toEqual([`GET ${json}`, `GET ${json}`, `POST ${json}`]);
  });

  test('receives errors with their codes', async () => {
    const client = clientFor();
    const codeOf = ({ error }: { error?: { graphQLErrors: { extensions: { code?: unknown } }[] } }) =>
      error?.graphQLErrors[0]?.extensions.code;
    expect(codeOf(await client.query('{ nonsense }', {}))).toBe('BAD_REQUEST');
    expect(codeOf(await client.mutation(CREATE, INVALID))).toBe('VALIDATION_FAILED');
    expect(codeOf(await clientFor(KEYS.read).mutation(CREATE, input('x')))).toBe('FORBIDDEN');
    expect(codeOf(await clientFor('wrong').query(VIEWER, {}))).toBe('UNAUTHENTICATED');
  });

  test('subscribes by fetch', async () => {
    const received = Promise.withResolvers<unknown>();
    // Open until the server stops: urql leaves the rejection of an aborted `fetch` unhandled.
    clientFor(KEYS.write, true)
      .subscription(UPDATED, {})
      .subscribe(({ data, error }) => (error ? received.reject(error) : received.resolve(data)));
    const sending = setInterval(() => void sendTestEvent(), 500);
    expect(await received.promise).toMatchObject({ webhookDeliveryUpdated: { id: expect.any(String) } });
    clearInterval(sending);
  });
});

describe('graphql-request with its defaults', () => {
  const clientFor = (key?: string) => new GraphQLClient(url, { headers: headers(key), fetch: recording });

  test('executes queries and mutations, and receives errors with their codes', async () => {
    exchanges = [];
    const client = clientFor();
    expect(await client.request(VIEWER)).toEqual({ viewer: { scope: 'write' } });
    expect(await client.request(CREATE, input('request'))).toMatchObject({
      createWebhookEndpoint: { endpoint: { url: 'https://example.com/request' } },
    });
    const codeOf = async (promise: Promise<unknown>) => {
      const error = await promise.catch((thrown: unknown) => thrown);
      if (!(error instanceof ClientError)) throw error;
      return error.response.errors?.[0]?.extensions.code;
    };
    expect(await codeOf(client.request('{ nonsense }'))).toBe('BAD_REQUEST');
    expect(await codeOf(client.request(CREATE, INVALID))).toBe('VALIDATION_FAILED');
    expect(await codeOf(clientFor('wrong').request(VIEWER))).toBe('UNAUTHENTICATED');
    expect(recorded()).toEqual(
      [200, 200, 400, 200, 401].map((status) => `POST ${status} application/graphql-response+json`),
    );
  });
});

describe('graphql-sse with its defaults', () => {
  const clientFor = (key?: string) => createClient({ url, headers: headers(key), retryAttempts: 0 });

  test('executes queries and mutations', async () => {
    const client = clientFor();
    const results = [];
    for await (const result of client.iterate({ query: VIEWER })) results.push(result);
    for await (const result of client.iterate({ query: CREATE, variables: input('sse') })) {
      results.push(result);
    }
    expect(results).toMatchObject([
      { data: { viewer: { scope: 'write' } } },
      { data: { createWebhookEndpoint: { endpoint: { url: 'https://example.com/sse' } } } },
    ]);
  });

  test.each([
    ['a query', '{ nonsense }', 'BAD_REQUEST'],
    ['a subscription', 'subscription { nonsense }', 'BAD_REQUEST'],
    ['a mutation', `mutation { createWebhookEndpoint(input: { url: "" }) { secret } }`, 'VALIDATION_FAILED'],
  ])('receives the errors of %s, then the end', async (_what, query, code) => {
    const results = [];
    for await (const result of clientFor().iterate({ query })) results.push(result);
    expect(results).toMatchObject([{ errors: [{ extensions: { code } }] }]);
  });

  test('is refused without a valid key', async () => {
    await expect(clientFor('wrong').iterate({ query: VIEWER }).next()).rejects.toThrow(/401/);
  });

  test('receives the events of a subscription', async () => {
    const updates = clientFor().iterate<{ webhookDeliveryUpdated: { id: string } }>({ query: UPDATED });
    const first = updates.next();
    const sending = setInterval(() => void sendTestEvent(), 500);
    expect((await first).value).toMatchObject({
      data: { webhookDeliveryUpdated: { id: expect.any(String) } },
    });
    clearInterval(sending);
    await updates.return?.();
  });
});

/** Causes a delivery to endpoint 1. */
const sendTestEvent = () =>
  fetch(url, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'mutation { recordEvent(input: { type: "conversion", goal: "order", visitorId: "v" }) { id } }',
    }),
  });
