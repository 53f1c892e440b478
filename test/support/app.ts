import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { loadConfig } from '../../src/config/config.ts';
import { type Models, modelsOf } from '../../src/database/models.ts';
import type { Tenant } from '../../src/features/tenants/tenants.types.ts';
import { systemWait, type Wait } from '../../src/platform/abortable-wait.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { type RunningService, startService } from '../../src/runtime/app.ts';
import { TestClock } from './clock.ts';
import { freshDatabase, releaseDatabaseOfTest } from './databases.ts';
import { encryptionEnvironment } from './encryption-environment.ts';
import { type RestRequest, sendRest } from './rest.ts';

export { eventually } from './eventually.ts';

/** JSON of any shape; what a test compares has its type in the comparison. */
export interface Json {
  [key: string]: Json;
}

/** Response to a request: its status, headers and JSON. */
export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  body: T;
}

/** A tenant with a key of each scope. */
export interface TestTenant {
  tenant: Tenant;
  customerId: number;
  read: string;
  write: string;
}

export interface TestApp {
  url: string;
  probesUrl: RunningService['probesUrl'];
  services: RunningService['services'];
  models: Models;
  clock: TestClock;
  admin: string;
  /** Sends JSON to a path below the service's address. */
  request(method: string, path: string, options?: RestRequest): Promise<Answer>;
  graphql(
    query: string,
    variables: Record<string, unknown>,
    key: string,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  newTenant(options?: { verifyEndpoints?: boolean }): Promise<TestTenant>;
  stop(): Promise<void>;
}

let nextCustomerId = 1000;

/**
 * The whole service in this process, over a real database and real sockets. Private targets are allowed, and rates
 * and concurrent requests are unlimited unless `env` says otherwise.
 */
export async function startApp(
  env: Record<string, string> = {},
  { wait = systemWait, log }: { wait?: Wait; log?: Logger } = {},
): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'engagement-app-'));
  const mongodbUri = env.MONGODB_URI ?? freshDatabase();
  const clock = new TestClock();
  const config = loadConfig({
    MONGODB_URI: mongodbUri,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    RATE_LIMIT: 'off',
    HTTP_MAX_REQUESTS_PER_KEY: '10000',
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '10000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...encryptionEnvironment(),
    ...env,
  });
  const service = await startService({ config, log: log ?? createLogger(config.logLevel), clock, wait });
  const connection = await mongoose
    .createConnection(mongodbUri, { autoIndex: false, autoCreate: false })
    .asPromise();
  const { services } = service;
  let models: Models | undefined;
  let stopped: Promise<void> | undefined;
  const admin = (await services.keys.create({ scope: 'admin', customerId: null, expiresAt: null })).key;

  async function stop(): Promise<void> {
    await service.stop();
    await connection.close();
    await rm(dataDir, { recursive: true, force: true });
    if (env.MONGODB_URI === undefined) await releaseDatabaseOfTest(mongodbUri);
  }

  async function request(method: string, path: string, options: RestRequest = {}): Promise<Answer> {
    const { status, headers, text } = await sendRest(service.url, method, path, options);
    const json = /[/+]json/.test(headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text;
    return { status, headers, body: json };
  }

  return {
    url: service.url,
    probesUrl: service.probesUrl,
    services,
    get models() {
      models ??= modelsOf(connection);
      return models;
    },
    clock,
    admin,
    request,
    graphql: (query, variables, key, headers = {}) =>
      request('POST', '/graphql', { key, headers, body: { query, variables } }),
    async newTenant(options) {
      const customerId = nextCustomerId++;
      const tenant = await services.tenants.create({
        customerId,
        orgId: `org_${customerId}`,
        name: `Customer ${customerId}`,
        ...options,
      });
      const key = async (scope: 'read' | 'write') =>
        (await services.keys.create({ scope, customerId, expiresAt: null })).key;
      return { tenant, customerId, read: await key('read'), write: await key('write') };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
