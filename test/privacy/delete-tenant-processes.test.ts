import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask } from '../meetings/process-support.ts';
import { eventually } from '../support/app.ts';
import { sizeOf } from '../support/full-size.ts';
import { createProcessGroup } from '../support/process-group.ts';
import { insertConversations } from './stored-conversations.ts';

const CUSTOMERS = [1_987_000_001, 1_987_000_002];
const OTHER = 1_987_000_003;
/** Of each customer: far more than one process removes before it is killed. */
const CONVERSATIONS = sizeOf({ small: 6_000, full: 12_000 });
const KILLS = sizeOf({ small: 2, full: 5 });
/** Longest time that a process works before it is killed. Milliseconds. */
const LONGEST_WORK_MS = 300;

const DELETE = `mutation ($customerId: Int!, $input: DeleteTenantInput!) {
  deleteTenant(customerId: $customerId, input: $input) { id status }
}`;
const DELETION = `query ($customerId: Int!) {
  tenantDeletion(customerId: $customerId) { status error counts { collection count } }
}`;
const orgOf = (customerId: number): string => `org_${customerId}`;

interface DeletionView {
  status: string;
  error: string | null;
  counts: { collection: string; count: number }[];
}

test('two deletions at a time are complete and count once, though their process is killed again and again', async () => {
  const { start, spawnWorker, command, newKey, models } = await createProcessGroup({
    MEETING_SYNC_SCHEDULE: 'off',
  });
  const key = await newKey('--scope', 'admin');
  for (const customerId of [...CUSTOMERS, OTHER]) {
    const customer = String(customerId);
    await command(
      'tenant',
      'create',
      '--customer',
      customer,
      '--org',
      orgOf(customerId),
      '--name',
      'Example',
    );
    await insertConversations(models, { customerId, visitorId: 'v_1', count: CONVERSATIONS });
  }
  const service = await start({ ROLE: 'api' });
  for (const customerId of CUSTOMERS)
    await ask(service, key, DELETE, { customerId, input: { orgId: orgOf(customerId) } });
  const running = () => models.Erasure.find({ target: 'tenant', status: 'running' }).lean();
  const tokens = async () => new Set((await running()).map(({ lease }) => lease.token));
  /** As if time had passed: the lease TTL, and the time for which a deletion waits. */
  async function letTimePass(): Promise<void> {
    const past = new Date(0);
    await models.Erasure.updateMany({ status: 'running' }, { $set: { 'lease.expiresAt': past } });
    await models.Tenant.updateMany(
      { 'deletion.removingSince': { $exists: true } },
      { $set: { 'deletion.removingSince': past } },
    );
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await tokens();
    const worker = await spawnWorker();
    await eventually(
      async () => [...(await tokens())].some((token) => !before.has(token)) || undefined,
      60_000,
    );
    await sleep(Math.random() * LONGEST_WORK_MS);
    expect(await worker.end('SIGKILL')).toBeNull();
    expect((await running()).length, `deletions that are running at kill ${kill}`).toBe(2);
    await letTimePass();
  }

  await spawnWorker();
  for (const customerId of CUSTOMERS) {
    const deletion = await eventually(async () => {
      const found = await ask<DeletionView>(service, key, DELETION, { customerId });
      if (found.status !== 'running') return found;
      const [job] = await running();
      if (job?.lease.token === undefined) await letTimePass();
      return undefined;
    }, 120_000);
    expect(deletion).toMatchObject({ status: 'completed', error: null });
    const counts = Object.fromEntries(deletion.counts.map(({ collection, count }) => [collection, count]));
    expect(counts).toMatchObject({
      conversations: CONVERSATIONS,
      conversationMessages: CONVERSATIONS,
      conversationRecords: CONVERSATIONS,
    });
    for (const model of [models.Conversation, models.Message, models.ConversationMilestone, models.Tenant])
      expect(await (model as typeof models.Conversation).countDocuments({ customerId })).toBe(0);
  }
  expect(await models.Conversation.countDocuments({ customerId: OTHER })).toBe(CONVERSATIONS);
  expect(await models.Tenant.countDocuments({ customerId: OTHER })).toBe(1);
}, 600_000);
