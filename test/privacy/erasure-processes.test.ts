import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask } from '../meetings/process-support.ts';
import { eventually } from '../support/app.ts';
import { sizeOf } from '../support/full-size.ts';
import { createProcessGroup } from '../support/process-group.ts';
import { countsOf, ERASE, type ErasureView } from './privacy-support.ts';
import { insertConversations } from './stored-conversations.ts';

const CUSTOMER = 7;
const VISITORS = ['v_killed_first', 'v_killed_second'];
/** Of each visitor: far more than one process erases before it is killed. */
const CONVERSATIONS = sizeOf({ small: 4_000, full: 12_000 });
const KILLS = sizeOf({ small: 3, full: 10 });
/** Longest time that a process works on the erasures before it is killed. Milliseconds. */
const LONGEST_WORK_MS = 300;

async function cluster() {
  const group = await createProcessGroup({ MEETING_SYNC_SCHEDULE: 'off', DRIFT_CHECK_SCHEDULE: 'off' });
  const of = { customerId: CUSTOMER };
  for (const visitorId of [...VISITORS, 'v_other'])
    await insertConversations(group.models, { ...of, visitorId, count: CONVERSATIONS });
  return { ...group, of, key: await group.newKey('--customer', String(CUSTOMER), '--scope', 'write') };
}

test('two erasures at a time are complete and count once, though their process is killed again and again', async () => {
  const { start, spawnWorker, key, models, of } = await cluster();
  const { Conversation, Message, ConversationMilestone, Erasure } = models;
  const running = () => Erasure.find({ ...of, status: 'running' }).lean();
  const tokens = async () => new Set((await running()).map(({ lease }) => lease.token));

  const service = await start({ ROLE: 'api' });
  for (const visitorId of VISITORS) await ask(service, key, ERASE, { input: { visitorId } });
  expect((await running()).length).toBe(VISITORS.length);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await tokens();
    const worker = await spawnWorker();
    await eventually(
      async () => [...(await tokens())].some((token) => !before.has(token)) || undefined,
      60_000,
    );
    await sleep(Math.random() * LONGEST_WORK_MS);
    expect(await worker.end('SIGKILL')).toBeNull();
    expect((await running()).length, `erasures that are running at kill ${kill}`).toBeGreaterThan(0);
    // As if the lease TTL had passed.
    await Erasure.updateMany({ ...of, status: 'running' }, { $set: { 'lease.expiresAt': new Date(0) } });
  }

  await spawnWorker();
  const ended = await eventually(async () => {
    const found = await ask<{ edges: { node: ErasureView }[] }>(
      service,
      key,
      '{ erasures { edges { node { id status error counts { kind count } } } } }',
    );
    const erasures = found.edges.map(({ node }) => node);
    return erasures.every(({ status }) => status !== 'running') && erasures;
  }, 120_000);
  expect(ended).toHaveLength(VISITORS.length);
  for (const erasure of ended) {
    expect(erasure).toMatchObject({ status: 'completed', error: null });
    expect(countsOf(erasure)).toEqual({
      conversations: CONVERSATIONS,
      messages: CONVERSATIONS,
      handoffs: CONVERSATIONS,
    });
  }
  expect(await Conversation.countDocuments({ ...of, visitorId: { $in: VISITORS } })).toBe(0);
  for (const model of [Conversation, Message, ConversationMilestone])
    expect(await (model as typeof Conversation).countDocuments(of)).toBe(CONVERSATIONS);
}, 600_000);
