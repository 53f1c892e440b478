import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Collector, type Span, startCollector } from '../support/collector.ts';
import { freshDatabase } from '../support/databases.ts';
import { engagement, type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type FakeSidecar, startFakeSidecar } from '../support/sidecar.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SECRET_PATH = '/hooks/secret-path?token=secret-token';

let collector: Collector;
let receiver: Receiver;
beforeEach(async () => {
  collector = await startCollector();
  // The first attempt fails, the second succeeds.
  receiver = await startReceiver((_request, index) => (index === 0 ? 503 : 200));
});
afterEach(async () => {
  await receiver.stop();
  await collector.stop();
});

/** A service process, what a customer needs to use it, and its end. */
async function traced(
  env: Record<string, string>,
  work: (service: ServiceProcess, key: string) => Promise<void>,
) {
  await using dir = await sharedDataDir();
  const mongodbUri = freshDatabase();
  const service = await startProcess(dir.path, { mongodbUri, env: { DRIFT_CHECK_SCHEDULE: 'off', ...env } });
  try {
    const { key } = await engagement<{ key: string }>(
      dir.path,
      mongodbUri,
      ...['key', 'create', '--customer', '7', '--scope', 'write'],
    );
    await work(service, key);
    expect(await service.end('SIGTERM')).toBe(0);
  } finally {
    await service.end('SIGKILL');
  }
}

const call = (
  service: ServiceProcess,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) =>
  fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** An endpoint and an event for it, both attempts waited for; the event's request is part of a trace. */
async function deliver(service: ServiceProcess, key: string): Promise<{ secret: string }> {
  const url = receiver.url + SECRET_PATH;
  const created = await call(service, key, 'POST', '/api/v1/customers/7/webhook-endpoints', { url });
  const { secret } = (await created.json()) as { secret: string };
  const event = { type: 'conversion', goal: 'secret-goal', visitor_id: 'secret-visitor' };
  const { status } = await call(service, key, 'POST', '/v1/events?', event, {
    traceparent: `00-${TRACE}-${CALLER}-01`,
    baggage: 'user=secret-baggage',
  });
  expect(status).toBe(201);
  await receiver.waitFor(2);
  return { secret };
}

describe('with a configured collector', () => {
  let sidecar: FakeSidecar;
  beforeAll(async () => {
    sidecar = await startFakeSidecar();
  });
  afterAll(() => sidecar.stop());

  const asked = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ML_SIDECAR_URL: sidecar.url,
  });

  /** The only span that looks like this. */
  function only(wanted: Partial<Span>): Span {
    const found = collector
      .spans()
      .filter((span) => Object.entries(wanted).every(([name, value]) => span[name as keyof Span] === value));
    expect(found.map(({ name }) => name)).toHaveLength(1);
    return found[0] as Span;
  }

  /** The database operations of a span. */
  const operationsIn = (parent: Span | undefined) =>
    collector
      .spans()
      .filter(({ parentSpanId }) => parentSpanId === parent?.spanId)
      .map(({ attributes }) => attributes['db.operation.name']);

  test("a request, its commit and its deliveries are part of the caller's trace", async () => {
    let secret = '';
    let apiKey = '';
    await traced(asked(), async (service, key) => {
      apiKey = key;
      ({ secret } = await deliver(service, key));
      await call(service, key, 'GET', '/api/drift.getStatus?');
      await call(service, key, 'GET', '/api/v1/customers/7/webhook-endpoints');
    });
    expect(collector.resource()).toMatchObject({ 'service.name': 'engagement' });

    const request = only({ name: 'POST /v1/events' });
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2, failed: false });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/events',
      'http.response.status_code': 201,
    });
    const commit = only({ name: 'commit', traceId: TRACE });
    expect(commit.parentSpanId).toBe(request.spanId);

    const attempts = collector.spans().filter(({ name }) => name === 'deliver webhook');
    expect(attempts).toHaveLength(2);
    const [first, second] = attempts.sort(
      (a, b) => Number(a.attributes['webhook.attempt']) - Number(b.attributes['webhook.attempt']),
    );
    const delivery = receiver.received[0]?.headers['x-svc-delivery-id'];
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ traceId: TRACE, parentSpanId: commit.spanId, kind: 3 });
      expect(attempt.attributes['webhook.delivery.id']).toBe(delivery);
    }
    expect(first).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'http_503', 'http.response.status_code': 503 },
    });
    expect(second).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 200 } });

    // The commit may be shared, so it belongs to no request: it is linked to each of their commits.
    const publication = collector.spans().find(({ links }) => links.includes(commit.spanId));
    expect(publication).toMatchObject({
      name: 'publication',
      parentSpanId: '',
      attributes: { 'engagement.units': 1 },
    });
    expect(operationsIn(publication)).toEqual(['insert', 'insert']);
    // The endpoint was created in a transaction, and its audit entry was appended in another one.
    const transactions = collector.spans().filter(({ name }) => name === 'transaction');
    expect(transactions.map(operationsIn)).toContainEqual(
      expect.arrayContaining(['insert', 'commitTransaction']),
    );
    const list = only({ name: 'GET /api/v1/customers/:customerId/webhook-endpoints' });
    const reads = collector.spans().filter(({ parentSpanId }) => parentSpanId === list.spanId);
    expect(reads.map(({ attributes }) => attributes['db.system.name'])).toContain('mongodb');

    const drift = only({ name: 'GET /api/drift.getStatus' });
    const toSidecar = only({ parentSpanId: drift.spanId, kind: 3, name: 'GET' });
    expect(toSidecar.attributes['url.full']).toBe(`${sidecar.url}/drift/status`);

    // The customer receives no trace context, and the collector no customer data.
    for (const { headers } of receiver.received) {
      expect(headers).not.toHaveProperty('traceparent');
      expect(headers).not.toHaveProperty('baggage');
    }
    const everything = collector.received.map(({ body }) => body).join('\n');
    expect(everything).not.toMatch(/secret-(?:path|token|goal|visitor|baggage)/);
    for (const text of [secret, apiKey, `Bearer`]) expect(everything).not.toContain(text);
    expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  });

  test('the default protocol is used, with the service name of the environment', async () => {
    const env = {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom`,
    };
    await traced({ ...env, OTEL_SERVICE_NAME: 'engagement-eu' }, async (service) => {
      await fetch(`${service.url}/api/health`);
    });
    expect(collector.received[0]).toMatchObject({ path: '/custom', type: 'application/x-protobuf' });
    expect(collector.received.map(({ body }) => body).join()).toContain('engagement-eu');
  });

  test('that is unreachable, the service works normally, and stops in time', async () => {
    const { url } = collector;
    await collector.stop();
    await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, async (service, key) => {
      await deliver(service, key);
      const begun = performance.now();
      expect(await service.end('SIGTERM')).toBe(0);
      expect(performance.now() - begun).toBeLessThan(10_000);
    });
    collector = await startCollector();
  });
});

describe('when tracing is not configured', () => {
  /** Records every OpenTelemetry module that the service imports, and every import of its SDK. */
  const WATCH = `
import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({
  resolve(specifier, context, next) {
    // In a prebuilt service, packages require others from its runtime.
    const ours = !/\\/node_modules\\/|\\/rolldown-runtime[^/]*$/.test(context.parentURL);
    if (/open-?telemetry/.test(specifier) && (ours || /sdk|instrumentation/.test(specifier)))
      appendFileSync(process.env.SEEN, specifier + '\\n');
    return next(specifier, context);
  },
});`;

  test.each([
    ['no variable is set', () => ({})],
    [
      'the exporter is none',
      () => ({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
    ],
  ])('because %s, nothing is sent, and no tracing module is loaded', async (_name, env) => {
    await using dir = await sharedDataDir();
    const [watch, seen] = [join(dir.path, 'watch.mjs'), join(dir.path, 'seen')];
    await writeFile(watch, WATCH);
    await writeFile(seen, '');
    const options = { NODE_OPTIONS: `--import=${watch}`, SEEN: seen };
    await traced({ ...env(), ...options }, async (service, key) => {
      await deliver(service, key);
    });
    expect(await readFile(seen, 'utf8')).toBe('');
    expect(collector.received).toEqual([]);
  });
});
