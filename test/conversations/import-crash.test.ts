import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { ended, type Importing, idOf, startImporting } from './import-support.ts';

/** Bounds the start of a command and its first writes. Milliseconds. */
const START_TIMEOUT_MS = 30_000;

let on: Importing;
beforeAll(async () => {
  on = await startImporting();
});
afterAll(() => on.stop());

/** Builds this number of messages of this length. */
const transcript = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 ? 'bot' : 'visitor',
    text: `${n} `.padEnd(length, 'x'),
    sent_at: new Date(Date.UTC(2026, 2, 2, 9, 0, n)).toISOString(),
  }));

/** Distinct numbers of messages in the customer's conversations. */
async function transcripts(customerId: number): Promise<Set<number>> {
  const { Conversation, Message } = on.app.models;
  const ids = (await Conversation.find({ customerId }, { _id: 1 }).lean()).map(({ _id }) => _id);
  const counts = await Message.aggregate<{ n: number }>([
    { $match: { conversationId: { $in: ids } } },
    { $group: { _id: '$conversationId', n: { $sum: 1 } } },
  ]);
  expect(counts).toHaveLength(ids.length);
  return new Set(counts.map(({ n }) => n));
}

/** Returns the count once it is stable: the database may still complete writes of a killed process. */
async function settled(count: () => Promise<number>): Promise<number> {
  for (let last = await count(); ; ) {
    await sleep(300);
    const now = await count();
    if (now === last) return now;
    last = now;
  }
}

describe('conversations import', () => {
  test('killed half way and run again stores each conversation once, complete', async () => {
    const tenant = await on.app.newTenant();
    const { customerId } = tenant;
    const { Conversation, Message, StagedConversation } = on.app.models;
    const lines = Array.from({ length: 3_000 }, (_, n) =>
      ended(`crash ${n}`, { transcript: transcript(12, 80) }),
    );
    const path = await on.file(lines);
    const args = ['--customer', String(customerId), path, '--json'];

    const killed = on.start(...args);
    onTestFinished(() => void killed.process.kill('SIGKILL'));
    await eventually(async () => (await Conversation.countDocuments({ customerId })) > 0, START_TIMEOUT_MS);
    killed.process.kill('SIGKILL');
    expect((await killed.ended).code).toBeNull();
    const before = await settled(() => Conversation.countDocuments({ customerId }));
    expect(before).toBeLessThan(3_000);
    expect(await transcripts(customerId)).toEqual(new Set([12]));

    const { code, stdout } = await on.run(...args);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { imported: 3_000 - before, known: before }]);
    expect(await Conversation.countDocuments({ customerId })).toBe(3_000);
    expect(await Message.countDocuments({ customerId })).toBe(3_000 * 12);
    expect(await StagedConversation.countDocuments({ customerId })).toBe(0);
  });

  test('killed between staging and publishing leaves nothing visible, and run again stores everything', async () => {
    const tenant = await on.app.newTenant();
    const { customerId } = tenant;
    const { Conversation, Message, StagedConversation } = on.app.models;
    const line = ended('large', { transcript: transcript(10_000, 400) });
    const path = await on.file([line, ended('small')]);
    const args = ['--customer', String(customerId), path, '--json'];

    const killed = on.start(...args);
    onTestFinished(() => void killed.process.kill('SIGKILL'));
    await eventually(() => Message.exists({ customerId }), START_TIMEOUT_MS);
    killed.process.kill('SIGKILL');
    expect((await killed.ended).code).toBeNull();
    expect(await Conversation.countDocuments({ customerId })).toBe(0);
    expect(await Message.countDocuments({ customerId })).toBeGreaterThan(0);
    expect(await StagedConversation.countDocuments({ customerId })).toBeGreaterThan(0);

    const { code, stdout } = await on.run(...args);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { imported: 2, known: 0 }]);
    const large = await Conversation.findOne({ customerId, importId: 'large' }).lean();
    const { body } = (await on.get(tenant, String(large?._id))) as { body: typeof line };
    expect(body.transcript.map(({ text }) => text)).toEqual(line.transcript.map(({ text }) => text));
    // Nothing of what the killed one had stored is left.
    expect(await Message.countDocuments({ customerId })).toBe(10_002);
    expect(await StagedConversation.countDocuments({ customerId })).toBe(0);

    expect(JSON.parse((await on.run(...args)).stdout)).toMatchObject({ imported: 0, known: 2 });
  });

  test('removes leftovers of killed imports, but no data of stored conversations', async () => {
    const [tenant, other] = [await on.app.newTenant(), await on.app.newTenant()];
    const { customerId } = tenant;
    const { Conversation, Message, ConversationMilestone, StagedConversation } = on.app.models;
    const [own, foreign, lost] = [idOf('da1', 1), idOf('da1', 2), idOf('da1', 3)];
    await on.importing(tenant, [ended(own)]);
    await on.importing(other, [ended(foreign)]);
    const leftovers = (conversationId: string) =>
      [7, 8].map((seq) => ({
        customerId,
        conversationId,
        seq,
        role: 'bot' as const,
        text: 'x',
        sentAt: new Date(),
      }));
    await StagedConversation.create([own, foreign].map((_id) => ({ _id, customerId })));
    const conversation = await Conversation.findById(own).lean();
    await StagedConversation.create({
      ...{ _id: lost, customerId, token: 'killed', state: 'staged' },
      publication: { conversation: { ...conversation, _id: lost }, events: [] } as never,
    });
    await Message.create([...leftovers(foreign), ...leftovers(lost)]);
    await ConversationMilestone.create({
      customerId,
      conversationId: lost,
      kind: 'conversion',
      data: { goal: 'g' },
    });

    expect((await on.importing(tenant, [ended('next')])).report).toMatchObject({ imported: 1 });
    expect(await StagedConversation.countDocuments({ customerId })).toBe(0);
    expect(await Message.countDocuments({ conversationId: lost })).toBe(0);
    expect(await ConversationMilestone.countDocuments({ conversationId: lost })).toBe(0);
    expect(await Conversation.countDocuments({ customerId })).toBe(2);
    expect(await on.get(tenant, own)).toEqual({ status: 200, body: ended(own) });
    expect(await on.get(other, foreign)).toEqual({ status: 200, body: ended(foreign) });
    expect(await Message.countDocuments({ conversationId: foreign })).toBe(2);
  });

  test('two concurrent imports of one large conversation store it once', async () => {
    const tenant = await on.app.newTenant();
    const { customerId } = tenant;
    const path = await on.file([ended('twin', { transcript: transcript(8_000, 500) })]);
    const args = ['--customer', String(customerId), path, '--json'];
    const both = await Promise.all([on.run(...args), on.run(...args)]);
    const reports = both.map(({ stdout }) => JSON.parse(stdout));
    expect(reports.map(({ imported }) => imported).sort()).toEqual([0, 1]);
    expect(await on.app.models.Message.countDocuments({ customerId })).toBe(8_000);
    expect(await on.app.models.StagedConversation.countDocuments({ customerId })).toBe(0);
  });
});
