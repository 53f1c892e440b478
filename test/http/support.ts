import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { buildSchemas } from '../../schema/index.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Models } from '../../src/database/models.ts';
import { graphiqlTokenUse } from '../../src/demo/graphiql-token.ts';
import type { Services } from '../../src/features/services.ts';
import { apiKeyPrefix, hashApiKey } from '../../src/features/tenants/api-key.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { compose } from '../../src/runtime/compose.ts';
import { TestClock } from '../support/clock.ts';
import { freshDatabase } from '../support/databases.ts';
import { type RestRequest, type RestResponse, sendRest } from '../support/rest.ts';

/** Keys of every test server: of customer 42 unless the name says otherwise. */
export const KEYS = {
  read: `eg_r_${'42'.padEnd(43, 'a')}`,
  write: `eg_w_${'42'.padEnd(43, 'a')}`,
  otherWrite: `eg_w_${'77'.padEnd(43, 'a')}`,
  admin: `eg_a_${'00'.padEnd(43, 'a')}`,
} as const;

const OWNERS = {
  read: { scope: 'read', customerId: 42 },
  write: { scope: 'write', customerId: 42 },
  otherWrite: { scope: 'write', customerId: 77 },
  admin: { scope: 'admin', customerId: null },
} as const satisfies Record<keyof typeof KEYS, object>;

interface TestServer {
  url: string;
  port: number;
  services: Services;
  models: Models;
  /** Lines of the log, parsed. */
  log: Record<string, unknown>[];
  /** Closes the HTTP server. */
  close(graceMs: number): Promise<void>;
  /** Closes the HTTP server, then the services. */
  stop(): Promise<void>;
}

interface Options {
  env?: Record<string, string>;
  /** Keys of the demo, and the token that GraphiQL's page exchanges for them. */
  demo?: { keys: Record<'read' | 'write' | 'admin', string>; token: string };
  streamCheckIntervalMs?: number;
  writeTimeoutMs?: number;
  onConnectionRefused?(limit: string): void;
  onStalledConnection?(): void;
  onQueueChange?(change: 1 | -1): void;
  onUnsentBytes?(bytes: number): void;
  onSlowestReader?(): void;
}

/**
 * Starts the HTTP server over the composed services, without recurring jobs, on loopback. Its database has customers
 * 42 and 77, the keys `KEYS`, and webhook endpoint 1 of customer 42. Requests are not rate-limited unless `env` says so.
 */
export async function startServer({ env = {}, demo, ...options }: Options = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'engagement-http-'));
  const config = loadConfig({
    MONGODB_URI: freshDatabase(),
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: 'off',
    DRIFT_CHECK_SCHEDULE: 'off',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...env,
  });
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
  const app = await compose({ config, log, clock: new TestClock() });
  const stopServices = async () => {
    await app.close(500);
    await rm(dataDir, { recursive: true, force: true });
  };
  await createFixture(app);
  const server = createHttpServer({
    services: app.services,
    schemas: buildSchemas(),
    log,
    config,
    metrics: config.metrics ? app.metrics.render : undefined,
    outages: app.outages.primary,
    demo: demo
      ? { keysFile: '/data/demo.env', keys: demo.keys, useToken: graphiqlTokenUse(app.models, demo.token) }
      : null,
    ...options,
  });
  const { port } = await server.listen().catch(async (error: unknown) => {
    await stopServices();
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    services: app.services,
    models: app.models,
    log: lines,
    close: server.close,
    async stop() {
      await server.close(500);
      await stopServices();
    },
  };
}

async function createFixture({ services, models }: { services: Services; models: Models }): Promise<void> {
  const [tenant] = await Promise.all(
    [42, 77].map((customerId) =>
      services.tenants.create({ customerId, orgId: `org_${customerId}`, name: `Customer ${customerId}` }),
    ),
  );
  if (!tenant) throw new Error('no tenant was created');
  const createdAt = new Date('2026-01-31T09:30:00Z');
  await models.ApiKey.insertMany(
    (Object.keys(KEYS) as (keyof typeof KEYS)[]).map((name) => ({
      ...OWNERS[name],
      hash: hashApiKey(KEYS[name]),
      prefix: apiKeyPrefix(KEYS[name]),
      createdAt,
    })),
  );
  // Port 9 discards: no test waits for a delivery to it.
  await services.endpoints.create(tenant, { url: 'http://127.0.0.1:9/hooks' });
}

/** Creates an endpoint of customer 42 that the service cannot serialise, as if another version had written it. */
export async function createBrokenEndpoint({ services, models }: TestServer): Promise<number> {
  const tenant = await services.tenants.get(42);
  const { endpoint } = await services.endpoints.create(tenant, { url: 'http://127.0.0.1:9/broken' });
  await models.Endpoint.collection.updateOne({ id: endpoint.id }, { $set: { createdAt: 'not a date' } });
  return endpoint.id;
}

/**
 * Number of change streams that are open in the server's database. The database of an earlier file may be used again, in
 * which a killed process left some: compare with the number before.
 */
export async function openChangeStreams({ models }: Pick<TestServer, 'models'>): Promise<number> {
  const { db } = models.ApiKey;
  const cursors = await db
    .getClient()
    .db('admin')
    .aggregate([
      { $currentOp: { idleCursors: true } },
      {
        $match: {
          'cursor.originatingCommand.$db': db.name,
          'cursor.originatingCommand.pipeline.0.$changeStream': { $exists: true },
        },
      },
    ])
    .toArray();
  return cursors.length;
}

interface ErrorBody {
  code: string;
  message: string;
  details?: { path: string; message: string }[];
  requestId: string;
}

export interface Answer extends RestResponse {
  /** JSON of the response; empty if the response is not JSON. */
  body: { error?: ErrorBody; errors?: unknown };
}

interface RequestOptions extends RestRequest {
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array;
}

/** Sends one request, with a write key of customer 42 by default. */
export async function send(
  { url }: { url: string },
  method: string,
  path: string,
  { key = KEYS.write, raw, body, headers }: RequestOptions = {},
): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await sendRest(url, method, path, {
    body: content,
    headers: { ...authorization, ...headers },
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { ...response, body: isJson && response.text !== '' ? JSON.parse(response.text) : {} };
}

/** Opens a TCP connection, for requests that no client library sends. */
export async function rawConnection(
  port: number,
): Promise<{ socket: Socket; received(): string; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => text, closed };
}
