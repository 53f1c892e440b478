import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { endpointsPath } from '../webhooks/support.ts';

const newKey = () => randomBytes(32).toString('hex');

test('stored responses are encrypted under the newest key by secrets rotate, and never executed again without it', async () => {
  const [older, newer, other] = [newKey(), newKey(), newKey()];
  const MONGODB_URI = freshDatabase();
  const start = async (keys: string) => {
    const app = await startApp({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: keys });
    onTestFinished(() => app.stop());
    return app;
  };
  const create = (app: TestApp, { customerId, write }: TestTenant) =>
    app.request('POST', endpointsPath(customerId), {
      key: write,
      body: { url: 'http://127.0.0.1:9/hooks' },
      headers: { 'idempotency-key': 'k' },
    });

  const startConversation = async (app: TestApp, { write }: TestTenant) =>
    app.graphql('mutation { startConversation(input: { visitorId: "v" }) { id } }', {}, write, {
      'idempotency-key': 'k',
    });

  const before = await start(older);
  const tenant = await before.newTenant();
  const first = await create(before, tenant);
  expect(first.status).toBe(201);
  const conversation = await startConversation(before, tenant);
  expect(conversation.body.errors).toBeUndefined();
  const rotation = await runCommand(['secrets', 'rotate', '--json'], {
    MONGODB_URI,
    CONNECTOR_ENCRYPTION_KEY: `${newer},${older}`,
  });
  // The secret of the endpoint, the results of both commits, the response of the mutation, and the keys of both audit logs.
  const checked = IS_ENCRYPTED ? 7 : 6;
  expect([rotation.code, JSON.parse(rotation.stdout)]).toMatchObject([0, { checked, reencrypted: checked }]);

  const after = await start(newer);
  const again = await create(after, tenant);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await startConversation(after, tenant)).body).toEqual(conversation.body);

  const lost = await start(other);
  const refused = await create(lost, tenant);
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  expect(refused.body.error?.message).toContain('was not stored');
  expect(await lost.models.Endpoint.countDocuments()).toBe(1);
});
