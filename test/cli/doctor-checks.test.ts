import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  checkClock,
  checkIndexes,
  checkJobs,
  checkKeys,
  checkSecrets,
  checkTopology,
  checkTransactions,
  checkWriteConcern,
} from '../../src/cli/doctor/database-checks.ts';
import { type DoctorProbes, mongoProbes } from '../../src/cli/doctor/database-probes.ts';
import { checkDisk, checkNode, checkProxy, checkSidecar } from '../../src/cli/doctor/machine-checks.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Scope } from '../../src/features/tenants/scopes.ts';
import type { ApiKey } from '../../src/features/tenants/tenants.types.ts';
import { endpointModel } from '../../src/features/webhooks/endpoints/endpoint.model.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

let mongo: TestMongo;
let connection: Connection;
let probes: DoctorProbes;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo.uri);
  probes = mongoProbes(connection);
});
afterAll(async () => {
  await connection?.close();
  await mongo?.stop();
});
beforeEach(async () => {
  await connection.dropDatabase();
});

const newKey = () => randomBytes(32).toString('hex');

describe('the database', () => {
  test('is ok as a replica set with transactions and durable writes, and keeps no test document', async () => {
    expect(await checkTopology(probes)).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/^replica set \w+, MongoDB \d/),
    });
    expect(await checkTransactions(probes)).toMatchObject({ level: 'ok' });
    expect(await checkWriteConcern(probes)).toMatchObject({ level: 'ok' });
    expect(await connection.listCollections()).toEqual([]);
  });

  test('fails every check with a remedy when the database is unreachable', async () => {
    const gone = mongoose.createConnection('mongodb://127.0.0.1:1/test', { serverSelectionTimeoutMS: 100 });
    await gone.asPromise().catch(() => {});
    const unreachable = mongoProbes(gone);
    for (const finding of [
      await checkTopology(unreachable),
      await checkTransactions(unreachable),
      await checkWriteConcern(unreachable),
      await checkClock(unreachable),
      await checkJobs(unreachable, new Date()),
    ]) {
      expect(finding.level).toBe('fail');
      expect(finding.action).toMatch(/\.$/);
    }
    await gone.close();
  });
});

describe('the clock', () => {
  test('is ok when it matches the clock of the database', async () => {
    expect(await checkClock(probes)).toMatchObject({ level: 'ok' });
  });

  test.each([
    [5_000, 'warn'],
    [-5_000, 'warn'],
    [40_000, 'fail'],
    [-40_000, 'fail'],
  ])('%i ms off is a %s', async (offset, level) => {
    expect(await checkClock(probes, () => Date.now() + offset)).toMatchObject({ level });
  });
});

describe('indexes', () => {
  test('fails the check with the names of missing indexes, and passes once they exist', async () => {
    const Endpoint = endpointModel(connection);
    const missing = await checkIndexes(probes);
    expect(missing.level).toBe('fail');
    expect(missing.message).toContain('webhookEndpoints {"id":1}');

    await Endpoint.createCollection();
    await Endpoint.createIndexes();
    expect(await checkIndexes(probes)).toMatchObject({ level: 'ok', message: 'all present' });
  });
});

describe('stored secrets', () => {
  const store = (id: number, secret: string) =>
    connection.collection('webhookEndpoints').insertOne({ id, secret });

  test('are ok when there are none, or when all can be decrypted', async () => {
    const cipher = createCipher([newKey()]);
    expect(await checkSecrets(probes, cipher)).toMatchObject({ level: 'ok' });
    await store(1, cipher.encrypt('whsec_1', 'endpoint:1'));
    await store(2, cipher.encrypt('whsec_2', 'endpoint:2'));
    expect(await checkSecrets(probes, cipher)).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('2 stored secrets decrypted'),
    });
  });

  test('fail when their encryption key is missing, without revealing a secret', async () => {
    await store(1, createCipher([newKey()]).encrypt('whsec_1', 'endpoint:1'));
    const finding = await checkSecrets(probes, createCipher([newKey()]));
    expect(finding).toMatchObject({
      level: 'fail',
      message: expect.stringContaining('1 of 1 stored secrets cannot be decrypted (endpoint:1: '),
    });
    expect(finding.action).toContain('CONNECTOR_ENCRYPTION_KEY');
  });

  test('warn that they need a rotation when they use an older encryption key', async () => {
    const [older, newer] = [newKey(), newKey()];
    await store(1, createCipher([older]).encrypt('whsec_1', 'endpoint:1'));
    const finding = await checkSecrets(probes, createCipher([newer, older]));
    expect(finding).toMatchObject({ level: 'warn', action: expect.stringContaining('secrets rotate') });
  });
});

describe('API keys', () => {
  const now = new Date('2027-01-01T00:00:00Z');
  const key = (scope: Scope, over: Partial<ApiKey> = {}): ApiKey => ({
    ...{ id: '1', name: null, state: 'active', resources: null, networks: null, createdBy: null },
    lastUsedAddress: null,
    scope,
    customerId: null,
    prefix: 'eg_a_abcdef',
    createdAt: now,
    expiresAt: null,
    expiresSoon: false,
    lastUsedAt: null,
    revokedAt: null,
    ...over,
  });
  const levelOf = async (keys: ApiKey[]) => (await checkKeys(async () => keys, now)).level;

  test('warn without a valid admin key, or when an admin key has expired', async () => {
    const past = new Date('2026-12-31T00:00:00Z');
    expect(await levelOf([key('admin'), key('read')])).toBe('ok');
    expect(await levelOf([key('write')])).toBe('warn');
    expect(await levelOf([key('admin', { revokedAt: past })])).toBe('warn');
    expect(await levelOf([key('admin', { expiresAt: past })])).toBe('warn');
    expect(await levelOf([key('admin'), key('read', { expiresAt: past })])).toBe('warn');
  });
});

describe('jobs', () => {
  const job = (fields: Record<string, unknown>) =>
    connection.collection('agendaJobs').insertOne({ name: 'webhooks.due', ...fields });
  const now = new Date();
  const ago = (ms: number) => new Date(now.getTime() - ms);

  test('warn when no job has ever run', async () => {
    expect(await checkJobs(probes, now)).toMatchObject({ level: 'warn', message: 'no job has run yet' });
  });

  test('are ok after a recent run, and warn when the last run is too old', async () => {
    await job({ lastRunAt: ago(2000), lastFinishedAt: ago(1000) });
    expect(await checkJobs(probes, now)).toMatchObject({ level: 'ok' });
    expect(await checkJobs(probes, new Date(now.getTime() + 120_000))).toMatchObject({ level: 'warn' });
  });

  test('warn with name and reason when the last run ended with an error', async () => {
    await job({
      lastRunAt: ago(2000),
      lastFinishedAt: ago(1000),
      failedAt: ago(1000),
      failReason: 'no primary',
    });
    expect(await checkJobs(probes, now)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('webhooks.due: no primary'),
    });
  });
});

describe('the host', () => {
  test('requires Node 24', () => {
    expect(checkNode('24.1.0').level).toBe('ok');
    expect(checkNode('22.12.0')).toMatchObject({ level: 'fail', action: expect.stringContaining('Node 24') });
  });

  test('has disk space for the data directory, even if the directory does not exist yet', async () => {
    const finding = await checkDisk({ dataDir: join(tmpdir(), 'not', 'there'), embedded: true });
    expect(finding).toMatchObject({
      check: 'disk',
      message: expect.stringMatching(/^\d+\.\d GiB free for /),
    });
  });
});

describe('the sidecar', () => {
  test('is ok if unconfigured or available, and fails if unreachable, failing or without its database', async () => {
    const server = createServer((request, response) => {
      const url = request.url ?? '';
      // As the reference sidecar, which reads its database for all paths but /health.
      if (url.startsWith('/waiting/drift')) return;
      const isUp = url.endsWith('/health') ? !url.startsWith('/broken') : url.startsWith('/up/');
      response.writeHead(isUp ? 200 : 500).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const MONGODB_URI = 'mongodb://db.example.com/engagement';
    const at = (ML_SIDECAR_URL: string) =>
      checkSidecar(loadConfig({ MONGODB_URI, ML_SIDECAR_URL, ML_SIDECAR_TIMEOUT: '3s' }));

    expect(await at('')).toMatchObject({ level: 'ok', message: expect.stringContaining('not configured') });
    expect(await at(`${url}/up`)).toMatchObject({ level: 'ok' });
    expect(await at(`${url}/broken`)).toMatchObject({
      level: 'fail',
      message: 'GET /health returned HTTP 500',
    });
    for (const [path, cause] of [
      ['waiting', 'failed (The operation was aborted due to timeout)'],
      ['failing', 'returned HTTP 500'],
    ]) {
      expect(await at(`${url}/${path}`)).toMatchObject({
        level: 'fail',
        message: `is up, but GET /drift/history?limit=1 ${cause}`,
        action: expect.stringContaining('Check the database of the sidecar'),
      });
    }
    server.close();
    server.closeAllConnections();
    expect(await at(`${url}/up`)).toMatchObject({
      level: 'fail',
      action: expect.stringContaining('ML_SIDECAR_URL'),
    });
  });
});

describe('the outbound proxy', () => {
  test('is ok if unconfigured or if it answers, and fails with what to do otherwise', async () => {
    const proxy = await startConnectProxy({ credentials: 'user:password' });
    const at = (OUTBOUND_PROXY: string) => checkProxy(loadConfig({ OUTBOUND_PROXY, WEBHOOK_TIMEOUT: '3s' }));
    const address = `127.0.0.1:${proxy.port}`;
    const valid = `http://user:password@${address}`;

    expect(await at('')).toMatchObject({ level: 'ok', message: expect.stringContaining('not configured') });
    proxy.behave(502);
    expect(await at(valid)).toMatchObject({
      level: 'ok',
      message: `${address} answers and accepts the credentials`,
    });
    expect(await at(`http://user:wrong@${address}`)).toMatchObject({
      level: 'fail',
      message: `${address} rejects the credentials (HTTP 407)`,
    });
    proxy.behave('close');
    expect(await at(valid)).toMatchObject({ level: 'warn' });
    proxy.behave('hang');
    expect(await at(valid)).toMatchObject({
      level: 'fail',
      message: expect.stringContaining('proxy_timeout'),
    });
    await proxy.stop();
    expect(await at(valid)).toMatchObject({
      level: 'fail',
      message: expect.stringContaining('proxy_refused'),
    });
    expect(proxy.requests[0]?.target).toBe('engagement-doctor.invalid:443');
  });
});
