import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { startProvider } from '../support/provider.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { API_KEY, connectedTenant, ended, startSync, syncOf } from './support.ts';

const newKey = () => randomBytes(32).toString('hex');

test('secrets rotate re-encrypts provider keys and signing secrets while the service runs', async () => {
  const [older, newer] = [newKey(), newKey()];
  const mongodbUri = freshDatabase();
  const provider = await startProvider({ count: 120 });
  onTestFinished(() => provider.stop());
  const start = async (keys: string) => {
    const app = await startApp({
      MONGODB_URI: mongodbUri,
      CONNECTOR_ENCRYPTION_KEY: keys,
      RECORDER_API_URL: provider.url,
      CONNECTOR_PACING: '1ms',
      MEETING_SYNC_SCHEDULE: 'off',
    });
    onTestFinished(() => app.stop());
    return app;
  };
  // Processes are given the new key beside the old one, then everything is moved, then the old one is taken away.
  const before = await start(older);
  const tenants = [await connectedTenant(before), await connectedTenant(before)] as const;
  await createEndpoint(before, tenants[0], { url: 'http://127.0.0.1:9' });
  const app = await start(`${newer},${older}`);
  const ciphertexts = async () =>
    (await app.models.ProviderConnection.find().sort({ _id: 1 }).lean()).map((doc) => doc.encryptedApiKey);
  const old = await ciphertexts();

  provider.behave({ delayMs: 300 });
  const running = await startSync(app, tenants[0]);
  const rotate = () =>
    runCommand(['secrets', 'rotate', '--json'], {
      MONGODB_URI: mongodbUri,
      CONNECTOR_ENCRYPTION_KEY: `${newer},${older}`,
    });
  const first = await rotate();
  // With the key of the customer's personal data, which the sync has created under the new key.
  const checked = IS_ENCRYPTED ? 9 : 8;
  expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { checked, reencrypted: 8 }]);
  const { keyId } = JSON.parse(first.stdout) as { keyId: string };
  const moved = await ciphertexts();
  expect(moved.map((value) => value.split('.')[1])).toEqual([keyId, keyId]);
  expect(moved.some((value) => old.includes(value))).toBe(false);
  expect(await ended(app, tenants[0], running.id)).toMatchObject({ status: 'succeeded', stored: 120 });
  const again = await rotate();
  expect(JSON.parse(again.stdout)).toMatchObject({ checked, reencrypted: 0 });

  provider.behave('well');
  const after = await start(newer);
  // The records are under a data key, which alone was re-encrypted.
  const mappings = [
    { sourceField: 'id', targetField: 'externalId' },
    { sourceField: 'created_at', targetField: 'occurredAt' },
    { sourceField: '/recording_url', targetField: 'properties.link' },
  ];
  const preview = `query ($mappings: [FieldMappingInput!]!) {
    recorderFieldMappingPreview(mappings: $mappings) { hasRecord fields { value } }
  }`;
  const { body } = await after.graphql(preview, { mappings }, tenants[0].write);
  expect(body.data?.recorderFieldMappingPreview).toMatchObject({
    hasRecord: true,
    fields: [{}, {}, { value: 'https://recordings.example.com/m0' }],
  });
  expect(await syncOf(after, tenants[1])).toMatchObject({ status: 'succeeded', stored: 120 });
  expect(provider.requests.at(-1)?.key).toBe(`${API_KEY}_${tenants[1].customerId}`);
});
