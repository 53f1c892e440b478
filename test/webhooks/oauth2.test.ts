import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Behaviour, type Received, startReceiver } from '../support/receiver.ts';
import {
  createEndpoint,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  type TestEndpoint,
} from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface TokenRequest {
  authorization: string | undefined;
  form: URLSearchParams;
}

interface TokenServer {
  url: string;
  requests: TokenRequest[];
  /** Open connections. */
  open(): number;
  answer(handler: (response: ServerResponse, issued: number) => void): void;
}

const CREDENTIALS = { clientId: 'client:1', clientSecret: 'p@ss word%' };

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** A token server; its tokens are `token-1`, `token-2` and so on, for an hour each. */
async function startTokenServer(): Promise<TokenServer> {
  const requests: TokenRequest[] = [];
  let answer = (response: ServerResponse, issued: number): unknown =>
    json(response, { access_token: `token-${issued}`, token_type: 'Bearer', expires_in: 3_600 });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    requests.push({ authorization: request.headers.authorization, form });
    answer(response, requests.length);
  };
  const server: Server = createServer((request, response) => void handle(request, response));
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/token`,
    requests,
    open: () => open,
    answer(handler) {
      answer = handler;
    },
  };
}

/** A tenant with an endpoint that fetches tokens. */
async function listeningWithTokens(
  behaviour: Behaviour = 200,
  settings: object = {},
  endpointSettings: object = {},
) {
  const tokens = await startTokenServer();
  const authentication = { oauth2: { tokenUrl: tokens.url, ...CREDENTIALS, ...settings } };
  return { tokens, ...(await listening(app, behaviour, { authentication, ...endpointSettings })) };
}

const bearerOf = ({ headers }: Received): string | undefined => headers.authorization;

describe('deliveries with OAuth 2.0 client credentials', () => {
  test('carry a token, which is fetched once and used again', async () => {
    const { tenant, receiver, tokens } = await listeningWithTokens(200, {
      scope: 'hooks:write',
      audience: 'https://api.example.com',
    });
    for (let i = 0; i < 3; i += 1) {
      await postConversion(app, tenant);
      await receiver.waitFor(i + 1);
    }
    expect(receiver.received.map(bearerOf)).toEqual(Array(3).fill('Bearer token-1'));
    const [request] = tokens.requests;
    expect(tokens.requests).toHaveLength(1);
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      scope: 'hooks:write',
      audience: 'https://api.example.com',
    });
    // RFC 6749 section 2.3.1: each part is form-encoded first.
    const basic = Buffer.from('client%3A1:p%40ss+word%25').toString('base64');
    expect(request?.authorization).toBe(`Basic ${basic}`);
    expect(receiver.received[0]?.headers['x-svc-signature']).toBeDefined();
  });

  test('send the credentials in the body if the endpoint says so', async () => {
    const { tenant, receiver, tokens } = await listeningWithTokens(200, {
      clientAuthentication: 'client_secret_post',
    });
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    expect(tokens.requests[0]?.authorization).toBeUndefined();
    expect(Object.fromEntries(tokens.requests[0]?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      client_id: CREDENTIALS.clientId,
      client_secret: CREDENTIALS.clientSecret,
    });
  });

  test('share one request for a token', async () => {
    const { tenant, receiver, tokens } = await listeningWithTokens();
    tokens.answer((response, issued) =>
      setTimeout(() => json(response, { access_token: `token-${issued}`, expires_in: 60 }), 200),
    );
    await Promise.all(Array.from({ length: 8 }, () => postConversion(app, tenant)));
    await receiver.waitFor(8);
    expect(tokens.requests).toHaveLength(1);
  });

  test('fetch a token again before it expires', async () => {
    const { tenant, receiver, tokens } = await listeningWithTokens();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    app.clock.advance(3_500_000);
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    expect(tokens.requests).toHaveLength(1);
    app.clock.advance(45_000);
    await postConversion(app, tenant);
    await receiver.waitFor(3);
    expect(receiver.received.map(bearerOf)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('use a token until it expires while the token server fails', async () => {
    const { tenant, receiver, tokens } = await listeningWithTokens();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    tokens.answer((response) => json(response, {}, 500));
    app.clock.advance(3_545_000);
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    expect(receiver.received.map(bearerOf)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  test('use a token until it expires while the token server hangs', async () => {
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    tokens.answer(() => {});
    app.clock.advance(3_545_000);
    await Promise.all(Array.from({ length: 4 }, () => postConversion(app, tenant)));
    await receiver.waitFor(5);
    expect(new Set(receiver.received.map(bearerOf))).toEqual(new Set(['Bearer token-1']));
    await eventually(
      async () =>
        (await app.models.Delivery.countDocuments({
          endpointId: endpoint.id,
          status: 'succeeded',
          attempt: 1,
        })) === 5,
    );
  });

  test('fetch a token once more when the receiver answers 401, within the same attempt', async () => {
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens(({ headers }) =>
      headers.authorization === 'Bearer token-1' ? 401 : 200,
    );
    await postConversion(app, tenant);
    const delivery = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect([delivery.attempt, tokens.requests.length]).toEqual([1, 2]);
    expect(receiver.received.map(bearerOf)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('fail with http_401 if the receiver refuses the new token as well', async () => {
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens(401);
    await postConversion(app, tenant);
    // Attempt 1 with two tokens, attempt 2 with the second one and a third.
    await receiver.waitFor(4);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, error: 'http_401' });
    expect([receiver.received.length, tokens.requests.length]).toEqual([4, 3]);
  });

  const failures: [string, string, (response: ServerResponse) => unknown][] = [
    ['refuses the credentials', 'oauth_refused', (r) => json(r, { error: 'invalid_client' }, 401)],
    ['refuses the request', 'oauth_refused', (r) => json(r, { error: 'invalid_scope' }, 400)],
    ['has an error', 'oauth_http_503', (r) => json(r, {}, 503)],
    [
      'redirects to another host',
      'oauth_redirect',
      (r) => r.writeHead(307, { location: 'http://127.0.0.2:1/token' }).end(),
    ],
    ['answers no JSON', 'oauth_bad_response', (r) => r.end('<html>')],
    ['answers a list', 'oauth_bad_response', (r) => json(r, [])],
    ['issues no token', 'oauth_bad_response', (r) => json(r, { token_type: 'Bearer' })],
    [
      'issues a token of another type',
      'oauth_bad_response',
      (r) => json(r, { access_token: 'a', token_type: 'mac' }),
    ],
    [
      'issues a token that splits the header',
      'oauth_bad_response',
      (r) => json(r, { access_token: 'a\r\nHost: x' }),
    ],
    [
      'issues a token for a negative time',
      'oauth_bad_response',
      (r) => json(r, { access_token: 'a', expires_in: -1 }),
    ],
    [
      'issues a token of a megabyte',
      'oauth_bad_response',
      (r) => json(r, { access_token: 'a'.repeat(1_000_000) }),
    ],
    ['never answers', 'oauth_timeout', () => {}],
    ['drops the connection', 'oauth_connection_reset', (r) => r.socket?.resetAndDestroy()],
    [
      'sends its answer a byte at a time',
      'oauth_timeout',
      (r) => {
        r.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => r.write(' '), 50);
        r.once('close', () => clearInterval(timer));
      },
    ],
    [
      'sends without an end',
      'oauth_bad_response',
      (r) => {
        r.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => r.write(' '.repeat(65_536)), 5);
        r.once('close', () => clearInterval(timer));
      },
    ],
  ];
  test.each(failures)('fail if the token server %s: %s', async (_, error, answer) => {
    const settings = error === 'oauth_timeout' ? { timeoutSeconds: 1 } : {};
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens(200, {}, settings);
    tokens.answer(answer);
    await postConversion(app, tenant);
    const delivery = await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, error });
    expect(delivery.responseStatus).toBeNull();
    expect(receiver.received).toHaveLength(0);
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${delivery.id}`, {
      key: tenant.read,
    });
    const attempts = body.attempts as unknown as { error: string; durationMs: number }[];
    for (const attempt of attempts) {
      expect(attempt.error).toBe(error);
      // A timeout of a second and the delays of a busy machine.
      expect(attempt.durationMs).toBeLessThan(10_000);
    }
    // Idle connections are kept for four seconds.
    await eventually(() => tokens.open() === 0);
  });

  test('count the request of the token in the timeout of the attempt', async () => {
    // Each request alone ends before the timeout.
    const slow = { status: 200, delayMs: 5_000 };
    const { tenant, endpoint, tokens } = await listeningWithTokens(slow, {}, { timeoutSeconds: 6 });
    tokens.answer((response) =>
      setTimeout(() => json(response, { access_token: 'a', expires_in: 0 }), 3_000),
    );
    await postConversion(app, tenant);
    const delivery = await deliveryLike(app, tenant, endpoint, { attempt: 2, error: 'timeout' });
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${delivery.id}`, {
      key: tenant.read,
    });
    for (const { durationMs } of body.attempts as unknown as { durationMs: number }[]) {
      expect(durationMs).toBeGreaterThanOrEqual(5_990);
      expect(durationMs).toBeLessThan(20_000);
    }
  });

  test('do not leave the address policy for a token', async () => {
    const guarded = await startApp({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false',
      WEBHOOK_VERIFICATION: 'optional',
    });
    onTestFinished(() => guarded.stop());
    const tenant = await guarded.newTenant();
    const create = (tokenUrl: string) =>
      guarded.request('POST', endpointsPath(tenant.customerId), {
        key: tenant.write,
        body: { url: 'https://r.example.com', authentication: { oauth2: { tokenUrl, ...CREDENTIALS } } },
      });
    for (const url of [
      'http://auth.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://a:b@x.example.com/',
    ]) {
      const { status, body } = await create(url);
      expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'authentication.oauth2.tokenUrl']);
    }
    // A name that resolves to a blocked address is found when the token is fetched.
    const endpoint = (await create('https://token.invalid/')).body.endpoint as unknown as TestEndpoint;
    await postConversion(guarded, tenant);
    const path = `${endpointsPath(tenant.customerId)}/${endpoint.id}`;
    await deliveryLike(guarded, tenant, { path }, { error: 'oauth_blocked_address' });
  });
});

describe('the authentication of an endpoint', () => {
  const patch = (tenant: TestTenant, { path }: TestEndpoint, authentication: unknown) =>
    app.request('PATCH', path, { key: tenant.write, body: { authentication } });

  test('is shown without its secret in REST and GraphQL', async () => {
    const { tenant, endpoint, tokens } = await listeningWithTokens(200, { scope: 'a b' });
    const shown = {
      oauth2: {
        tokenUrl: tokens.url,
        clientId: CREDENTIALS.clientId,
        scope: 'a b',
        audience: null,
        clientAuthentication: 'client_secret_basic',
      },
      mtls: null,
    };
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.authentication).toEqual(shown);
    const READ = `query ($id: Int!) { webhookEndpoint(id: $id) { authentication {
      oauth2 { tokenUrl clientId scope audience clientAuthentication } mtls { certificateExpiresAt certificateSubject }
    } } }`;
    const read = await app.graphql(READ, { id: endpoint.id }, tenant.read);
    expect(read.body.data?.webhookEndpoint?.authentication).toEqual(shown);
  });

  test('keeps a masked or omitted client secret only for the same token server and client', async () => {
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens();
    const { clientId } = CREDENTIALS;
    const kept = await patch(tenant, endpoint, {
      oauth2: { tokenUrl: tokens.url, clientId, clientSecret: '***', scope: 'x' },
    });
    expect(kept.status).toBe(200);
    expect(
      (await patch(tenant, endpoint, { oauth2: { tokenUrl: tokens.url, clientId, scope: 'y' } })).status,
    ).toBe(200);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const basic = Buffer.from('client%3A1:p%40ss+word%25').toString('base64');
    expect(tokens.requests[0]?.authorization).toBe(`Basic ${basic}`);
    expect(tokens.requests[0]?.form.get('scope')).toBe('y');
    const elsewhere = await startTokenServer();
    for (const oauth2 of [
      { tokenUrl: elsewhere.url, clientId },
      { tokenUrl: tokens.url, clientId: 'another', clientSecret: '***' },
    ]) {
      const { status, body } = await patch(tenant, endpoint, { oauth2 });
      expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'authentication.oauth2.clientSecret']);
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('applies to the next attempt when it changes, and null ends it', async () => {
    const { tenant, endpoint, receiver, tokens } = await listeningWithTokens();
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    await patch(tenant, endpoint, { oauth2: { tokenUrl: tokens.url, ...CREDENTIALS, scope: 'other' } });
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    expect((await patch(tenant, endpoint, null)).body.authentication).toBeNull();
    await postConversion(app, tenant);
    await receiver.waitFor(3);
    expect(receiver.received.map(bearerOf)).toEqual(['Bearer token-1', 'Bearer token-2', undefined]);
  });

  test.each<[string, unknown, string]>([
    ['neither method', {}, 'authentication'],
    [
      'both methods',
      {
        oauth2: { tokenUrl: 'https://a.example.com', clientId: 'a', clientSecret: 'b' },
        mtls: { certificate: 'x', privateKey: 'y' },
      },
      'authentication',
    ],
    [
      'no client id',
      { oauth2: { tokenUrl: 'https://a.example.com', clientSecret: 'b' } },
      'authentication.oauth2.clientId',
    ],
    [
      'no client secret',
      { oauth2: { tokenUrl: 'https://a.example.com', clientId: 'a' } },
      'authentication.oauth2.clientSecret',
    ],
    [
      'no URL',
      { oauth2: { tokenUrl: 'example', clientId: 'a', clientSecret: 'b' } },
      'authentication.oauth2.tokenUrl',
    ],
    [
      'another way to send the credentials',
      {
        oauth2: {
          tokenUrl: 'https://a.example.com',
          clientId: 'a',
          clientSecret: 'b',
          clientAuthentication: 'jwt',
        },
      },
      'authentication.oauth2.clientAuthentication',
    ],
    ['a text', 'oauth2', 'authentication'],
  ])('with %s is a 422', async (_, authentication, path) => {
    const tenant = await app.newTenant();
    const { status, body } = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', authentication },
    });
    expect([status, body.error?.details?.[0]?.path]).toEqual([422, path]);
  });

  test('by OAuth 2.0 excludes a custom Authorization header, whichever comes first', async () => {
    const tenant = await app.newTenant();
    const authentication = { oauth2: { tokenUrl: 'https://a.example.com', ...CREDENTIALS } };
    const headers = { Authorization: 'Basic eDp5' };
    const url = 'https://r.example.com';
    const both = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url, headers, authentication },
    });
    expect([both.status, both.body.error?.details?.[0]?.path]).toEqual([422, 'headers.Authorization']);
    const first = await createEndpoint(app, tenant, { url, headers });
    const second = await createEndpoint(app, tenant, { url, authentication });
    expect((await patch(tenant, first, authentication)).status).toBe(422);
    const { status } = await app.request('PATCH', second.path, { key: tenant.write, body: { headers } });
    expect(status).toBe(422);
    const swapped = { headers, authentication: null };
    expect((await app.request('PATCH', second.path, { key: tenant.write, body: swapped })).status).toBe(200);
  });
});

test('the challenge of a URL is sent with the headers and the token of the endpoint', async () => {
  const tokens = await startTokenServer();
  const receiver = await startReceiver(({ envelope }) => ({
    status: 200,
    body: JSON.stringify({ challenge: envelope.data.challenge }),
  }));
  onTestFinished(() => receiver.stop());
  const tenant = await app.newTenant({ verifyEndpoints: true });
  await createEndpoint(app, tenant, {
    url: receiver.url,
    headers: { 'X-Api-Key': 'k' },
    authentication: { oauth2: { tokenUrl: tokens.url, ...CREDENTIALS } },
  });
  expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', 'x-api-key': 'k' });
  tokens.answer((response) => json(response, {}, 401));
  const refused = await app.request('POST', endpointsPath(tenant.customerId), {
    key: tenant.write,
    body: { url: receiver.url, authentication: { oauth2: { tokenUrl: tokens.url, ...CREDENTIALS } } },
  });
  expect(refused.status).toBe(422);
  expect(String(refused.body.error?.details?.[0]?.message)).toContain('oauth_refused');
});
