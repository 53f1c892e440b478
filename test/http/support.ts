import { connect, type Socket } from 'node:net';
import pino from 'pino';
import { buildSchemas } from '../../schema/index.ts';
import type { AddressRange, RateLimit } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';
import type { Principal, Tenant } from '../../src/features/tenants/tenants.types.ts';
import type { WebhookEndpoint } from '../../src/features/webhooks/endpoints/endpoint.types.ts';
import { createHttpServer } from '../../src/http/http-server.ts';
import type { HttpServerOptions } from '../../src/http/http-server-options.ts';
import type { Services } from '../../src/services.ts';

/** Services in memory, for what concerns the protocol alone; the service itself is tested over a database. */
export interface MemoryServices {
  services: Services;
  /** `Authorization` values that were looked up, in order. */
  lookups: string[];
  /** `Authorization` values whose look-up was throttled, in order. */
  throttled: string[];
  /** Ids of keys whose state was read again, in order. */
  rechecks: string[];
  /** Ids of keys that are no longer active. */
  revoked: Set<string>;
  /** Waits before an event is recorded; to be replaced by a test. */
  gate: Promise<void>;
  /** The last input of `events.record`. */
  recorded: unknown;
  /** The last patch of `endpoints.update`. */
  patched: unknown;
  databaseUp: boolean;
  /** Subscriptions that have not ended. */
  subscribers: number;
}

const NOW = new Date('2026-01-31T09:30:00Z');
const tenant = (customerId: number): Tenant => ({
  customerId,
  orgId: `org_${customerId}`,
  name: `Customer ${customerId}`,
  createdAt: NOW,
});

export const KEYS = {
  read: 'eg_r_42aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  write: 'eg_w_42aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  otherWrite: 'eg_w_77aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  admin: 'eg_a_00aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
} as const;

const PRINCIPALS: Record<string, Principal> = {
  [KEYS.read]: { keyId: 'k-read', scope: 'read', tenant: tenant(42), expiresAt: null },
  [KEYS.write]: { keyId: 'k-write', scope: 'write', tenant: tenant(42), expiresAt: null },
  [KEYS.otherWrite]: { keyId: 'k-other', scope: 'write', tenant: tenant(77), expiresAt: null },
  [KEYS.admin]: { keyId: 'k-admin', scope: 'admin', tenant: null, expiresAt: null },
};

const endpoint: WebhookEndpoint = {
  id: 1,
  customerId: 42,
  url: 'https://example.com/hooks',
  description: null,
  events: null,
  enabled: true,
  disabledReason: null,
  createdAt: NOW,
  updatedAt: NOW,
};

function memoryServices(): MemoryServices {
  const state: MemoryServices = {
    lookups: [],
    throttled: [],
    rechecks: [],
    revoked: new Set(),
    gate: Promise.resolve(),
    recorded: null,
    patched: null,
    databaseUp: true,
    subscribers: 0,
    // Only what the tests here reach.
    services: {
      keys: {
        async authenticate(authorization: string | undefined, { throttled = false } = {}) {
          if (authorization !== undefined) {
            state.lookups.push(authorization);
            if (throttled) state.throttled.push(authorization);
          }
          const principal = PRINCIPALS[/^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? ''];
          if (!principal) throw new AppError('UNAUTHENTICATED', 'A valid API key is needed.');
          return principal;
        },
        async isActive(keyId: string) {
          state.rechecks.push(keyId);
          return !state.revoked.has(keyId);
        },
      },
      tenants: {
        async get(customerId: number) {
          if (customerId === 42 || customerId === 77) return tenant(customerId);
          throw new AppError('NOT_FOUND', `No customer ${customerId}.`);
        },
      },
      endpoints: {
        create: async (_tenant: Tenant, input: object) => ({
          endpoint: { ...endpoint, ...input },
          secret: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0',
        }),
        list: async () => ({ edges: [{ cursor: 'c1', node: endpoint }], hasMore: false }),
        async get(_tenant: Tenant, id: number) {
          if (id === 500) throw new Error('connect ECONNREFUSED 10.0.0.1:27017 at /srv/secret/path.js');
          if (id !== 1) throw new AppError('NOT_FOUND', `No webhook endpoint ${id}.`);
          return endpoint;
        },
        async update(_tenant: Tenant, id: number, patch: object) {
          if (id !== 1) throw new AppError('NOT_FOUND', `No webhook endpoint ${id}.`);
          state.patched = patch;
          return { ...endpoint, ...patch };
        },
        remove: async (_tenant: Tenant, id: number) => ({ id, deleted: true }),
        rotateSecret: async (_tenant: Tenant, id: number) => ({ id, secret: 'whsec_bmV3' }),
      },
      events: {
        async record(_tenant: Tenant, input: object, key: string | null) {
          state.recorded = input;
          await state.gate;
          const event = {
            goal: null,
            conversationId: null,
            value: null,
            ...input,
            id: 'e1',
            occurredAt: NOW,
            createdAt: NOW,
          };
          return { event, replayed: key === 'seen' };
        },
      },
      deliveryFeed: {
        subscribe() {
          const ended = Promise.withResolvers<IteratorResult<never>>();
          state.subscribers++;
          return {
            [Symbol.asyncIterator]() {
              return this;
            },
            next: () => ended.promise,
            async return() {
              state.subscribers--;
              ended.resolve({ done: true, value: undefined });
              return { done: true, value: undefined };
            },
          };
        },
      },
      health: {
        check: async () => ({
          status: state.databaseUp ? 'ok' : 'down',
          sidecar: { status: 'up', latencyMs: 1, modelVersion: '1' },
          database: { status: state.databaseUp ? 'up' : 'down', latencyMs: 1 },
          jobs: { status: 'up', lastRunAt: NOW },
          version: '0.1.0',
          uptimeSeconds: 1,
        }),
      },
    } as unknown as Services,
  };
  return state;
}

interface TestServer extends MemoryServices {
  url: string;
  port: number;
  /** Lines of the log, parsed. */
  log: Record<string, unknown>[];
  close(graceMs?: number): Promise<void>;
}

interface Options extends Pick<HttpServerOptions, 'metrics' | 'demoReadKey' | 'streamCheckIntervalMs'> {
  rateLimit?: RateLimit | null;
  trustedProxies?: readonly AddressRange[];
  loopback?: boolean;
  metricsToken?: string | null;
}

/** The HTTP server over services in memory, listening on loopback. */
export async function startServer({
  rateLimit = null,
  trustedProxies = [],
  loopback = true,
  metricsToken = null,
  metrics,
  demoReadKey,
  streamCheckIntervalMs,
}: Options = {}) {
  const state = memoryServices();
  const log: Record<string, unknown>[] = [];
  const server = createHttpServer({
    services: state.services,
    schemas: buildSchemas(),
    log: pino({ level: 'debug' }, { write: (line) => log.push(JSON.parse(line)) }),
    config: { host: '127.0.0.1', port: 0, loopback, rateLimit, trustedProxies, metricsToken },
    metrics,
    demoReadKey,
    streamCheckIntervalMs,
  });
  const { url, port } = await server.listen();
  return Object.assign(state, {
    url,
    port,
    log,
    close: (graceMs = 500) => server.close(graceMs),
  }) satisfies TestServer;
}

interface ErrorBody {
  code: string;
  message: string;
  details?: { path: string; message: string }[];
  requestId: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the answer; empty where it is none. */
  body: { error?: ErrorBody; errors?: unknown };
}

interface RequestOptions {
  key?: string | null;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends one request with a write key, unless told otherwise. */
export async function send(
  { url }: { url: string },
  method: string,
  path: string,
  { key = KEYS.write, raw, body, headers = {} }: RequestOptions = {},
): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: content,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : {},
  };
}

/** A bare connection, for what no client library sends. */
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

/** Waits until something is so. */
export async function until(check: () => boolean, timeoutMs = 5_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!check()) {
    if (Date.now() > deadline) throw new Error(`not so within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
