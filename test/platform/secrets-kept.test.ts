import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCollector } from '../support/collector.ts';
import { runCommand } from '../support/command.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { MAIN, startProcess } from '../support/process.ts';
import { startProvider } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { startFakeSidecar } from '../support/sidecar.ts';
import { createAuthority } from '../webhooks/certificates.ts';

/** Returns a secret that is found wherever it is, and names its kind there. */
const planted = (kind: string): string => `planted-${kind}-${randomBytes(8).toString('hex')}`;
/** Also finds a secret that was cut. */
const PLANTED = /planted-[a-z-]+-[0-9a-f]{4,}/g;

const basic = (credentials: string): string => Buffer.from(credentials).toString('base64');

/** A token server that returns the request in its response: a token, unless the client is `refused`. */
async function startTokenServer(token: string): Promise<string> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let form = '';
    for await (const chunk of request) form += String(chunk);
    const echo = { headers: request.headers, form };
    const isRefused = request.url === '/refused';
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json', 'x-echo': form });
    response.end(JSON.stringify(isRefused ? echo : { access_token: token, token_type: 'Bearer', ...echo }));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('secrets are in no log, metric, trace, error, answer, export and report, though receivers return them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engagement-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const authority = createAuthority();
  onTestFinished(() => authority.remove());
  const pair = authority.issue('Engagement', { days: 5 });
  const collector = await startCollector();
  const sidecar = await startFakeSidecar();
  // Returns the headers of its request, in its body and in a header.
  const receiver = await startReceiver(({ headers }, index) => {
    const echo = JSON.stringify(headers);
    return { status: index % 3 === 0 ? 200 : 500, headers: { 'x-echo': echo }, body: echo };
  });
  const provider = await startProvider();
  for (const { stop } of [collector, sidecar, receiver, provider]) onTestFinished(stop);
  const token = planted('token');
  const tokenUrl = await startTokenServer(token);
  const proxyCredentials = `${planted('proxy-user')}:${planted('proxy-password')}`;
  const proxy = await startConnectProxy({ credentials: proxyCredentials });
  const metricsToken = planted('metrics-token');
  const encryptionKey = randomBytes(32).toString('hex');
  const mongodbUri = freshDatabase();
  const env = {
    ...{ MONGODB_URI: mongodbUri, DATA_DIR: folder, LOG_LEVEL: 'trace' },
    ...{ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_TIMEOUT: '1s', CONNECTOR_PACING: '1ms' },
    CONNECTOR_ENCRYPTION_KEY: encryptionKey,
    METRICS_TOKEN: metricsToken,
    OUTBOUND_PROXY: `http://${proxyCredentials}@127.0.0.1:${proxy.port}`,
    RECORDER_API_URL: provider.url,
    ML_SIDECAR_URL: sidecar.url,
    ML_SIDECAR_TOKEN: planted('sidecar-token'),
  };
  /** Answers, output of commands, log, traces and exported files. */
  const shown: string[] = [];
  const command = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runCommand(args, env);
    shown.push(stderr);
    return stdout;
  };
  const newKey = async (...args: string[]): Promise<string> =>
    JSON.parse(await command('key', 'create', ...args, '--json')).key;
  const write = await newKey('--customer', '7', '--scope', 'write');
  const admin = await newKey('--scope', 'admin');

  const log = join(folder, 'service.log');
  const serve = ['sh', '-c', 'exec "$0" "$1" serve >"$2" 2>&1', process.execPath, MAIN, log];
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const service = await startProcess(folder, { mongodbUri, env: { ...env, ...traces }, command: serve });
  onTestFinished(() => void service.end('SIGKILL'));

  /** Secrets of the service's own making, which are shown once. */
  const generated = [write, admin];
  interface Request {
    key?: string;
    body?: unknown;
    headers?: Record<string, string>;
  }
  const call = async (method: string, path: string, { key = write, body, headers }: Request = {}) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const secrets = text.match(/whsec_[A-Za-z0-9+/=]+/g) ?? [];
    generated.push(...secrets);
    shown.push(
      secrets.reduce((rest, secret) => rest.replace(secret, ''), text),
      JSON.stringify([...response.headers]),
    );
    const isJson = /[/+]json(;|$)/.test(response.headers.get('content-type') ?? '');
    return { ok: response.ok, body: isJson ? JSON.parse(text) : text };
  };
  /** Sends a request that succeeds. */
  const done = async (method: string, path: string, request?: Request) => {
    const { ok, body } = await call(method, path, request);
    expect(ok, `${method} ${path}: ${JSON.stringify(body)}`).toBe(true);
    return body;
  };
  const read = (path: string, key?: string) => done('GET', path, key ? { key } : {});
  /** Sends a GraphQL operation, and returns its data. */
  const ask = async (query: string, variables: object = {}, isRefused = false) => {
    const { body } = await call('POST', '/graphql', { body: { query, variables } });
    expect('errors' in body, JSON.stringify(body)).toBe(isRefused);
    return body.data;
  };

  // Endpoints with every kind of secret, whose deliveries succeed and fail.
  const path = '/api/v1/customers/7/webhook-endpoints';
  const oauth2 = (more: object) => ({
    oauth2: {
      tokenUrl: `${tokenUrl}/token`,
      clientId: 'client',
      clientSecret: planted('client-secret'),
      ...more,
    },
  });
  const authentications = [
    oauth2({}),
    oauth2({ clientAuthentication: 'client_secret_post' }),
    oauth2({ tokenUrl: `${tokenUrl}/refused`, clientAuthentication: 'client_secret_post' }),
    { mtls: pair },
  ];
  const ids: number[] = [];
  for (const authentication of authentications) {
    const headers = { 'X-Api-Key': planted('header'), 'X-Session': `Token ${planted('header')}` };
    const url = `${receiver.url}/${planted('path')}?token=${planted('query')}`;
    const body = { url, authentication, headers, signing: 'ed25519', events: ['conversion.recorded'] };
    const created = await done('POST', path, {
      body,
      headers: { 'idempotency-key': `create-${ids.length}` },
    });
    ids.push(created.endpoint.id);
    await done('POST', `${path}/${ids.at(-1)}/rotate-secret`, { body: { overlapSeconds: 600 } });
    await done('PATCH', `${path}/${ids.at(-1)}`, { body: { headers: { ...headers, 'X-Api-Key': '***' } } });
  }

  // Input with secrets that is refused.
  const bad = [
    { headers: { 'X-Api-Key': `${planted('bad-header')}\n` } },
    { headers: { 'X-Api-Key': [planted('bad-header')] } },
    { authentication: oauth2({ tokenUrl: 'ftp://example.com' }) },
    { authentication: oauth2({ clientSecret: [planted('bad-client-secret')] }) },
    { authentication: { mtls: { ...pair, privateKey: planted('bad-key') } } },
    { authentication: { mtls: { certificate: pair.privateKey, privateKey: pair.privateKey } } },
    { clientSecret: planted('bad-field') },
    `{"headers": {"X-Api-Key": "${planted('bad-json')}"`,
    `{"headers": {"X-Api-Key": ${planted('bad-json')}}}`,
  ];
  for (const body of bad)
    expect(await call('PATCH', `${path}/${ids[0]}`, { body }), JSON.stringify(body)).toMatchObject({
      ok: false,
    });
  const CONNECT = 'mutation ($apiKey: String!) { connectRecorder(apiKey: $apiKey) { status } }';
  await ask(CONNECT, { apiKey: [planted('bad-provider-key')] }, true);
  await ask(`mutation { connectRecorder(apiKey: "${planted('literal')}") { nothing } }`, {}, true);
  await ask(`mutation { connectRecorder(apiKey: "${planted('literal')}" `, {}, true);
  const unknown = await call('GET', '/api/v1/event-types', { key: planted('unknown-key') });
  expect(unknown.ok).toBe(false);
  await call('GET', `/api/v1/event-types?api_key=${planted('query-key')}`);

  // The meeting provider, which accepts a key, refuses others, and returns the headers of its requests.
  const echo = ({ headers }: { headers: object }, status: number) => ({
    status,
    body: JSON.stringify(headers),
  });
  provider.behave((request) => echo(request, 401));
  await ask(CONNECT, { apiKey: planted('refused-provider-key') }, true);
  provider.behave('well');
  await ask(CONNECT, { apiKey: planted('provider-key') });
  const SET_SECRET = 'mutation ($secret: String) { setRecorderWebhookSecret(secret: $secret) { path } }';
  await ask(SET_SECRET, { secret: planted('bad-webhook-secret') }, true);
  const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
  generated.push(webhookSecret);
  const hook = await ask(SET_SECRET, { secret: webhookSecret });
  const hookPath = String(hook.setRecorderWebhookSecret.path);
  const unsigned = { body: { id: 'm1' }, headers: { 'webhook-id': 'msg_1' } };
  expect((await call('POST', hookPath, unsigned)).ok).toBe(false);
  provider.behave((request) => echo(request, 403));
  await ask('mutation { syncMeetings { status } }');
  const SYNCS = '{ meetingSyncRuns(first: 5) { edges { node { error { code message } } } } }';
  await eventually(async () => (await ask(SYNCS)).meetingSyncRuns.edges[0]?.node.error, 60_000);

  // Deliveries, while the proxy works and while it does not.
  const event = { type: 'conversion', goal: 'demo', visitor_id: 'v_1' };
  const record = () => done('POST', '/v1/events', { body: event });
  const deliveries = async (id: number) => (await read(`${path}/${id}/deliveries`)).data;
  const allDeliveries = async () => (await Promise.all(ids.map(deliveries))).flat();
  for (let count = 0; count < 2; count += 1) await record();
  await eventually(async () => {
    const found = await allDeliveries();
    return found.length === 8 && found.every(({ lastAttemptAt }) => lastAttemptAt !== null);
  }, 60_000);
  await proxy.stop();
  await record();
  await eventually(
    async () => (await allDeliveries()).some(({ error }) => String(error).startsWith('proxy_')),
    60_000,
  );
  sidecar.behave({ text: 'not JSON' });
  expect((await call('GET', '/api/drift.getStatus')).ok).toBe(false);
  expect(sidecar.requests).not.toEqual([]);

  // Everything that can be read.
  for (const id of ids) {
    for (const delivery of await deliveries(id)) {
      await read(`${path}/${id}/deliveries/${delivery.id}`);
      await read(`/api/v1/customers/7/events/${delivery.eventId}/explain?endpointId=${id}`);
    }
    await read(`${path}/${id}/statistics`);
  }
  for (const url of [path, '/api/v1/customers/7/export', '/api/v1/event-types', '/api/health'])
    await read(url);
  await read('/metrics', metricsToken);
  await ask(`{
    webhookEndpoints(first: 10) { edges { node { url headers publicKey authentication {
      oauth2 { tokenUrl clientId } mtls { certificateSubject }
    } } } }
    webhookDeliveries(first: 5) { edges { node { error attempts { responseBody } } } }
    recorderConnection { status lastRun { error { code message } } }
  }`);
  await read('/.well-known/webhook-keys.json');
  const exported = join(folder, 'export');
  shown.push(
    await command('doctor', '--json'),
    await command('key', 'list', '--json'),
    await command('endpoints', '--backlog', '--json'),
    await command('export', exported, '--customer', '7', '--format', 'csv'),
    await command('audit', 'export', '--customer', '7'),
    await command('audit', 'export'),
  );
  await service.end('SIGTERM');
  const manifest = JSON.parse(await readFile(join(exported, 'manifest.json'), 'utf8'));
  for (const { name } of manifest.files) shown.push(await readFile(join(exported, name), 'utf8'));
  shown.push(await readFile(log, 'utf8'), ...collector.received.map(({ body }) => body));

  // Each of them was sent where it belongs, and each place was looked at.
  const received = JSON.stringify(receiver.received.map(({ headers }) => headers));
  expect(received).toContain(`Bearer ${token}`);
  expect(received).toContain('planted-header-');
  expect(
    proxy.requests.some(({ authorization }) => authorization === `Basic ${basic(proxyCredentials)}`),
  ).toBe(true);
  const everything = shown.join('\n');
  for (const text of [
    'engagement_',
    '"level":"info"',
    'deliver webhook',
    '"checks"',
    '***',
    'Bearer ***',
    'proxy_',
  ])
    expect(everything, text).toContain(text);

  // The URL of an endpoint is a setting that its customer reads.
  const ofUrls = /planted-(?:path|query)-/;
  expect([...new Set(everything.match(PLANTED))].filter((secret) => !ofUrls.test(secret))).toEqual([]);
  const keyLines = pair.privateKey
    .split('\n')
    .filter((line) => line.length > 20 && !line.startsWith('-----'));
  const encoded = [basic(proxyCredentials), basic('client:planted').slice(0, 14)];
  for (const secret of [...generated, ...keyLines, ...encoded, encryptionKey, 'whsk_', 'PRIVATE KEY'])
    expect(everything.includes(secret), secret).toBe(false);
  const written = [await readFile(log, 'utf8'), ...collector.received.map(({ body }) => body)].join('\n');
  for (const text of ['planted-path', 'planted-query', hookPath])
    expect(written.includes(text), text).toBe(false);
});
