import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { modelsOf } from '../../src/database/models.ts';
import { startTestMongo } from '../support/mongo.ts';
import { engagement } from '../support/process.ts';
import { dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import { receiving } from '../webhooks/support.ts';
import { startScoredSidecar } from './support.ts';

const CUSTOMERS = [7, 8];

test('a kill between the detection of drift and its events: each customer receives one event', async () => {
  // The transaction of the killed process holds the alert until the database aborts it.
  const mongo = await startTestMongo({ failpoints: true, transactionLifetime: 3, database: 'alerts' });
  onTestFinished(() => mongo.stop());
  const dataDir = await dataDirOfTest();
  const sidecar = await startScoredSidecar();
  onTestFinished(() => sidecar.stop());
  const receiver = await receiving();
  const connection = await mongoose.createConnection(mongo.uri, { autoCreate: false }).asPromise();
  onTestFinished(() => connection.close());
  const models = modelsOf(connection);
  const env = { ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' };
  const start = () => processOfTest(dataDir, { mongodbUri: mongo.uri, env });
  const newKey = async (...options: string[]) =>
    (await engagement<{ key: string }>(dataDir, mongo.uri, 'key', 'create', ...options)).key;

  let service = await start();
  const post = async (path: string, key: string, body: unknown) =>
    (
      await fetch(service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;
  for (const customer of CUSTOMERS) {
    const key = await newKey('--customer', String(customer), '--scope', 'write');
    const endpoint = { url: receiver.url, events: ['drift.detected'] };
    expect(await post(`/api/v1/customers/${customer}/webhook-endpoints`, key, endpoint)).toBe(201);
  }
  const admin = await newKey('--scope', 'admin');
  const check = () => post('/api/drift.triggerCheck', admin, {});
  sidecar.report({ overall: 0.5 });
  expect(await check()).toBe(200);

  await mongo.failCommands({ commands: ['insert'], collection: 'webhookEvents' });
  // The check is complete once its alert is recorded; the events follow.
  expect(await check()).toBe(200);
  expect(await models.DriftAlertEvent.exists({ event: 'drift.detected' })).not.toBeNull();
  await sleep(2_000);
  await service.end('SIGKILL');
  await mongo.failCommands('off');
  expect(await models.DriftAlertState.findById('overall').lean()).toMatchObject({
    subjects: [{ feature: null, isDrifted: true }],
  });
  expect(await models.Event.countDocuments()).toBe(0);

  service = await start();
  // The killed process may hold the lock of the job for a while.
  await receiver.waitFor(2, 60_000);
  expect(await check()).toBe(200);
  await sleep(1_000);
  expect(receiver.received.map(({ envelope }) => envelope.data.customerId).toSorted()).toEqual(CUSTOMERS);
  expect(await models.Event.countDocuments()).toBe(2);
  expect(await models.DriftAlertEvent.countDocuments()).toBe(0);
}, 180_000);
