import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createCipher } from '../../src/platform/cipher.ts';
import { startApp } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { withDatabase } from '../support/embedded.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { listening, postConversion } from './support.ts';

test('a signing secret is bound to its tenant; one of an earlier build signs until secrets rotate binds it', async () => {
  const env = { MONGODB_URI: freshDatabase(), CONNECTOR_ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  const cipher = createCipher([env.CONNECTOR_ENCRYPTION_KEY]);
  const before = await startApp(env);
  const { tenant, endpoint, receiver } = await listening(before);
  const stranger = await listening(before);
  await before.stop();
  const secretOf = (id: number) =>
    withDatabase(env.MONGODB_URI, async (db) => {
      const found = await db.collection('webhookEndpoints').findOne({ id });
      return String(found?.secret);
    });
  const store = (filter: { id: number }, set: object) =>
    withDatabase(env.MONGODB_URI, (db) => db.collection('webhookEndpoints').updateOne(filter, { $set: set }));

  // As an earlier build has stored it.
  await store({ id: endpoint.id }, { secret: cipher.encrypt(endpoint.secret, `endpoint:${endpoint.id}`) });
  const app = await startApp(env);
  onTestFinished(() => app.stop());
  await postConversion(app, tenant);
  const [delivered] = await receiver.waitFor(1);
  expect(delivered && receiver.verifies(delivered, endpoint.secret)).toBe(true);

  const rotate = async () => JSON.parse((await runCommand(['secrets', 'rotate', '--json'], env)).stdout);
  // With the keys of the audit logs, the customers' and the service's.
  const checked = IS_ENCRYPTED ? 6 : 5;
  expect(await rotate()).toMatchObject({ checked, reencrypted: 1 });
  expect(await rotate()).toMatchObject({ checked, reencrypted: 0 });
  const bound = await secretOf(endpoint.id);
  expect(cipher.decrypt(bound, `endpoint:${tenant.customerId}:${endpoint.id}`)).toBe(endpoint.secret);
  expect(() => cipher.decrypt(bound, `endpoint:${endpoint.id}`)).toThrow('belongs to another owner');

  // Moved to another tenant in the database, the endpoint signs nothing.
  await app.stop();
  await store({ id: endpoint.id }, { customerId: stranger.tenant.customerId });
  const moved = await startApp(env);
  onTestFinished(() => moved.stop());
  await postConversion(moved, stranger.tenant);
  await stranger.receiver.waitFor(1);
  const doctor = await runCommand(['doctor', '--json'], env);
  expect(doctor.stdout).toContain('1 of 2 stored secrets cannot be decrypted');
  expect(receiver.received).toHaveLength(1);
});
