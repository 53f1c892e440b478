import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/models.ts';
import { seedConversations } from '../../src/demo/demo-conversations.ts';
import { isTerminal } from '../../src/features/conversations/allowed-moves.ts';
import type {
  ConversationDoc,
  MessageDoc,
  MilestoneDoc,
} from '../../src/features/conversations/conversations.model.ts';
import { createConversations } from '../../src/features/conversations/index.ts';
import { createCommitOrder } from '../../src/features/outbox/commit-order.ts';
import type { PlannedDelivery } from '../../src/features/outbox/outbox-event.model.ts';
import type { OutboxEvent } from '../../src/features/outbox/outbox-event.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../../src/features/privacy/suppression.service.ts';
import { createCommitter } from '../../src/platform/commit/committer.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { freshDatabase } from '../support/databases.ts';

const DAY = 86_400_000;

/** Office hours, a Sunday night, the turn of a year, the moment after midnight. */
const NOWS = ['2026-11-18T14:30:00Z', '2026-11-22T03:10:00Z', '2027-01-01T00:00:00Z', '2026-03-02T00:01:00Z'];

/** A conversation with everything that belongs to it. */
interface Seeded {
  conversation: ConversationDoc;
  messages: MessageDoc[];
  milestones: MilestoneDoc[];
  events: OutboxEvent[];
}

let database: Database;
beforeAll(async () => {
  database = await openDatabase(freshDatabase());
});
afterAll(async () => {
  await database.connection.close();
});

let customers = 42;

/** Seeds a new tenant; its conversations, oldest first. */
async function seed(now: Date): Promise<Seeded[]> {
  const { connection, models } = database;
  const customerId = customers++;
  const events: OutboxEvent[] = [];
  const outbox = createCommitter<OutboxEvent, PlannedDelivery[]>({
    connection,
    expand: async (more) => ({
      events: [],
      derived: [],
      effects: more.map(() => []),
      committed: () => void events.push(...more),
      aborted() {},
    }),
    tenantOf: ({ tenant }) => tenant.customerId,
    log: createLogger('silent'),
    tracing: null,
  });
  await seedConversations({
    tenant: { customerId, orgId: `org_${customerId}`, name: 'Demo', createdAt: new Date(0) },
    now,
    movesAt: (clock) =>
      createConversations({
        models,
        outbox,
        order: createCommitOrder(clock),
        limit: null,
        suppressions: NO_SUPPRESSIONS,
        encryption: NO_ENCRYPTION,
        dependants: [],
        clock,
      }).services.moves,
  });
  const conversations = await models.Conversation.find({ customerId }).lean<ConversationDoc[]>();
  const messages = await models.Message.find({ customerId }).sort({ seq: 1 }).lean<MessageDoc[]>();
  const milestones = await models.ConversationMilestone.find({ customerId }).lean<MilestoneDoc[]>();
  return conversations
    .map((conversation) => ({
      conversation,
      messages: messages.filter(({ conversationId }) => conversationId.equals(conversation._id)),
      milestones: milestones.filter(({ conversationId }) => conversationId.equals(conversation._id)),
      events: events.filter(({ conversationId }) => conversationId === conversation._id.toHexString()),
    }))
    .sort((a, b) => a.conversation.startedAt.getTime() - b.conversation.startedAt.getTime());
}

describe.each(NOWS.map((now) => new Date(now)))('the demo conversations at %s', (now) => {
  let seeded: Seeded[];
  let conversations: ConversationDoc[];
  beforeAll(async () => {
    seeded = await seed(now);
    conversations = seeded.map(({ conversation }) => conversation);
  });

  test('number about a hundred over the last 90 days, in every status', () => {
    expect(conversations).toHaveLength(150);
    const ages = conversations.map(({ startedAt }) => (now.getTime() - startedAt.getTime()) / DAY);
    expect(Math.min(...ages)).toBeGreaterThan(0);
    expect(Math.max(...ages)).toBeGreaterThan(75);
    expect(Math.max(...ages)).toBeLessThanOrEqual(90);
    for (const status of ['active', 'handed_off', 'ended', 'converted', 'closed'])
      expect(conversations.filter((one) => one.status === status).length).toBeGreaterThanOrEqual(4);
  });

  test('start mostly on weekdays and during the day', () => {
    const past = conversations.filter(({ startedAt }) => now.getTime() - startedAt.getTime() > DAY);
    const weekdays = past.filter(({ startedAt }) => ![0, 6].includes(startedAt.getUTCDay()));
    expect(weekdays.length / past.length).toBeGreaterThan(0.8);
    const byDay = past.filter(
      ({ startedAt }) => startedAt.getUTCHours() >= 7 && startedAt.getUTCHours() < 19,
    );
    expect(byDay.length / past.length).toBeGreaterThan(0.8);
  });

  test('have transcripts in order, between start and end, with correct message counts', () => {
    for (const { conversation, messages } of seeded) {
      expect(messages).toHaveLength(conversation.messageCount);
      expect(messages.length).toBeGreaterThan(0);
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index));
      const times = messages.map(({ sentAt }) => sentAt.getTime());
      const end = (conversation.endedAt ?? now).getTime();
      const whole = [conversation.startedAt.getTime(), ...times, end];
      expect(whole).toEqual([...whole].sort((a, b) => a - b));
      expect(messages.every(({ text }) => text.length > 0 && !/[{}]|undefined/.test(text))).toBe(true);
    }
  });

  test('are consistent, also with their events', () => {
    for (const { conversation, milestones, events } of seeded) {
      const { status, endedAt, converted, conversion, identity, outcome } = conversation;
      expect(endedAt !== null).toBe(isTerminal(status));
      expect(converted).toBe(conversion !== null);
      expect(milestones.some(({ kind }) => kind === 'conversion')).toBe(converted);
      const published = events.map(({ event }) => event);
      expect(published[0]).toBe('conversation.started');
      expect(published.includes('identity.resolved')).toBe(identity !== null);
      expect(published.includes('outcome.marked')).toBe(outcome !== null);
      expect(published.filter((event) => event === 'conversion.recorded')).toHaveLength(
        milestones.filter(({ kind }) => kind === 'conversion').length,
      );
      const endings = events
        .filter(({ event }) => event === 'conversation.ended')
        .map(({ payload }) => JSON.parse(payload).data.status);
      expect(endings.at(-1) ?? null).toBe(isTerminal(status) ? status : null);
      for (const { payload } of events)
        expect(JSON.parse(payload).ts * 1000).toBeLessThanOrEqual(now.getTime());
    }
  });

  test('contain no real addresses: all are of example.com', () => {
    const addresses = conversations.flatMap(({ identity }) => identity?.email ?? []);
    expect(addresses.length).toBeGreaterThan(40);
    for (const address of addresses) expect(address).toMatch(/^[a-z]+\.[a-z]+@[a-z-]+\.example\.com$/);
    const people = new Map(
      conversations.flatMap(({ identity }) => (identity ? [[identity.email, identity]] : [])),
    );
    const ids = new Set([...people.values()].map(({ resolvedPersonId }) => resolvedPersonId));
    expect(ids.size).toBe(people.size);
  });

  test('are deterministic except for their ids', async () => {
    const again = await seed(now);
    const summaryOf = (one: Seeded[]) =>
      one.map(({ conversation, messages }) => [
        conversation.visitorId,
        conversation.status,
        conversation.startedAt,
        ...messages.map(({ text, sentAt }) => [text, sentAt]),
      ]);
    expect(summaryOf(again)).toEqual(summaryOf(seeded));
  });
});
