import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { sharedDataDir } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';

/** Commands that change something in any deployment, with the action of their act. */
const ACTS: Record<string, string> = {
  'conversations-import': 'importConversations',
  'audit export': 'exportAuditLog',
  export: 'exportCustomer',
  'key-create': 'createApiKey',
  'key-revoke': 'revokeApiKey',
  'person-erase': 'erasePerson',
  'pii-conversion': IS_ENCRYPTED ? 'encryptPersonalData' : 'decryptPersonalData',
  'person-erase --file': 'erasePeople',
  'secrets-rotate': 'rotateSecrets',
  'suppression-lift': 'liftSuppression',
  'tenant-create': 'createTenant',
  'tenant-delete': 'deleteTenant',
};

test('every command that changes something leaves its entry', async () => {
  const { command, printed, models } = await createProcessGroup();
  await using directory = await sharedDataDir();
  const file = join(directory.path, 'import.jsonl');
  await writeFile(file, '');
  const ofCustomer = ['--customer', '7'];
  await command('tenant', 'create', ...ofCustomer, '--org', 'org_seven', '--name', 'Seven');
  const { id, key } = await command<{ id: string; key: string }>(
    ...['key', 'create', ...ofCustomer, '--scope', 'read'],
  );
  await command('key', 'revoke', id);
  await command('conversations', 'import', ...ofCustomer, file);
  await command('erase', ...ofCustomer, '--visitor', 'v_planted_visitor');
  const suppression = await models.Suppression.findOne().lean();
  await command('suppressions', 'lift', String(suppression?._id), ...ofCustomer);
  await command('export', ...ofCustomer, '--visitor', 'v_planted_visitor', join(directory.path, 'export'));
  // The only entry of its log.
  await printed('audit', 'export', '--customer', '8');
  await command('secrets', 'rotate');
  await command('pii', IS_ENCRYPTED ? 'encrypt' : 'decrypt');
  const people = join(directory.path, 'people.jsonl');
  await writeFile(people, '{"email":"planted@example.com"}\n\n{"visitorId":"v_planted_visitor"}\n');
  const { data } = await command<{ data: { status: string }[] }>('erase', ...ofCustomer, '--file', people);
  expect(data.map(({ status }) => status)).toEqual(['completed', 'completed']);

  const deletion = command<{ status: string }>('tenant', 'delete', ...ofCustomer, '--org', 'org_seven');
  // As if the time had passed for which it waits.
  await eventually(async () => {
    const past = { $set: { 'deletion.removingSince': new Date(0) } };
    return (await models.Tenant.updateOne({ 'deletion.removingSince': { $exists: true } }, past))
      .matchedCount;
  }, 60_000);
  expect((await deletion).status).toBe('completed');
  expect(await models.Tenant.countDocuments({ customerId: 7 })).toBe(0);

  const entries = await models.AuditEntry.find().lean();
  const actor = { type: 'cli', id: userInfo().username };
  for (const action of Object.values(ACTS)) {
    const found = entries.filter((entry) => entry.action === action);
    expect(found, action).not.toEqual([]);
    for (const entry of found) {
      expect(entry, action).toMatchObject({ actor, outcome: 'done', clientAddress: null });
      expect(entry.after, action).not.toBeNull();
    }
  }
  expect(JSON.stringify(entries)).not.toContain(key);
  expect(JSON.stringify(entries)).not.toMatch(/v_planted_visitor|planted@example/);
}, 180_000);
