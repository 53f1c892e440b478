import { expect, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { connectedTenant, connector, idsOf, syncOf } from '../meetings/support.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedDataDir } from '../support/process.ts';
import { meetingJson } from '../support/provider.ts';

test('a conversation and a meeting are deleted by commands, as acts of the operator', async () => {
  await using directory = await sharedDataDir();
  const shared = { MONGODB_URI: freshDatabase(), CONNECTOR_ENCRYPTION_KEY: '5e'.repeat(32) };
  const { app } = await connector({ meetings: [0, 1].map((number) => meetingJson(number)) }, shared);
  const tenant = await connectedTenant(app);
  expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', stored: 2 });
  const { id } = await startConversation(app, tenant);
  const [first = '', second = ''] = await idsOf(app, tenant);

  const run = (...args: string[]) =>
    runCommand([...args, '--customer', String(tenant.customerId)], { ...shared, DATA_DIR: directory.path });
  const deleted = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  expect(await deleted('conversations', 'delete', id)).toMatchObject({ id, suppressionId: null });
  const path = `/v1/conversations/${id}`;
  expect((await app.request('GET', path, { key: tenant.read })).status).toBe(404);
  const suppressed = await deleted('meetings', 'delete', first);
  expect(suppressed).toMatchObject({ id: first, suppressionId: expect.any(String) });
  const only = await deleted('meetings', 'delete', second, '--no-suppress');
  expect(only).toMatchObject({ id: second, suppressionId: null });
  expect(await idsOf(app, tenant)).toEqual([]);

  const again = await run('conversations', 'delete', id);
  expect([again.code, again.stderr]).toEqual([1, 'The conversation does not exist.\n']);

  const entries = await app.models.AuditEntry.find({
    log: tenant.customerId,
    action: /^delete/,
    outcome: 'done',
  })
    .sort({ sequence: 1 })
    .lean();
  const actor = { type: 'cli' };
  const stateOf = ({ suppressionId }: { suppressionId: string | null }) =>
    JSON.stringify({ deleted: true, suppressionId });
  expect(entries).toMatchObject([
    { action: 'deleteConversation', actor, target: { type: 'conversation', id }, after: '{"deleted":true}' },
    { action: 'deleteMeeting', target: { id: first }, after: stateOf(suppressed) },
    { action: 'deleteMeeting', target: { id: second }, after: stateOf(only) },
  ]);
});
