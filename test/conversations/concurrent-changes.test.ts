import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import {
  append,
  CALLS,
  MOVES,
  messages,
  mutate,
  retrieve,
  STATUSES,
  startConversation,
  timeline,
} from './support.ts';

/** Two processes' worth of the service on one database: what one holds in memory the other does not know. */
let apps: [TestApp, TestApp];
let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  const env = { MONGODB_URI: freshDatabase() };
  apps = [await startApp(env), await startApp(env)];
  [app] = apps;
  tenant = await app.newTenant();
});
afterAll(async () => {
  for (const running of apps) await running.stop();
});

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const eitherApp = (index: number): TestApp => apps[index % 2] as TestApp;

/** Event documents and their deliveries, straight from the database. */
const stored = async (id: string) =>
  app.models.Event.find({ conversationId: id }).sort({ _id: 1 }).lean<{ event: string; payload: string }[]>();

describe('concurrent moves of one conversation', () => {
  test.each([
    ['of one process', () => app],
    ['of two processes', eitherApp],
  ] as const)('20 closes (%s) result in one close and one event', async (_name, appOf) => {
    const { id } = await startConversation(app, tenant);
    const outcomes = await times(20, (index) =>
      mutate(appOf(index), tenant.write, CALLS.closeConversation, { id }),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(Array(20).fill(null));
    expect(new Set(outcomes.map(({ conversation }) => JSON.stringify(conversation))).size).toBe(1);
    expect((await stored(id)).map(({ event }) => event)).toEqual([
      'conversation.started',
      'conversation.ended',
    ]);
  });

  test('20 hand-offs result in one event and one hand-off', async () => {
    const { id } = await startConversation(app, tenant);
    await times(20, (index) => mutate(eitherApp(index), tenant.write, MOVES.requestHandoff, { id }));
    expect((await stored(id)).map(({ event }) => event)).toEqual([
      'conversation.started',
      'handoff.requested',
    ]);
    expect(await app.models.ConversationMilestone.countDocuments({ kind: 'handoff' })).toBe(1);
  });

  test('of 20 ends and closing conversions, one wins, and only its events are stored', async () => {
    const { id } = await startConversation(app, tenant);
    const outcomes = await times(20, (index) =>
      mutate(eitherApp(index), tenant.write, index % 4 < 2 ? MOVES.end : MOVES.convert, { id }),
    );
    const { status } = await retrieve<{ status: string }>(app, tenant, id);
    const events = (await stored(id)).map(({ event }) => event);
    if (status === 'ended') expect(events).toEqual(['conversation.started', 'conversation.ended']);
    else expect(events).toEqual(['conversation.started', 'conversion.recorded', 'conversation.ended']);
    expect(outcomes.filter(({ code }) => code === 'CONFLICT')).toHaveLength(10);
    expect(outcomes.filter(({ code }) => code === null)).toHaveLength(10);
  });

  test('every emitted status follows from the previous one, and is emitted once', async () => {
    const conversations = await times(10, () => startConversation(app, tenant));
    const all = Object.values(MOVES);
    await Promise.all(
      conversations.flatMap(({ id }) =>
        times(12, (index) => mutate(eitherApp(index), tenant.write, all[index % 4] ?? '', { id })),
      ),
    );
    for (const { id } of conversations) {
      const published = (await timeline(app, tenant, id)).filter(
        ({ event }) => event === 'conversation.ended',
      );
      const { status } = await retrieve<{ status: string }>(app, tenant, id);
      expect(STATUSES).toContain(status);
      expect(published.at(-1)?.data.status).toBe(status);
      expect(published.map(({ data }) => data.status)).toEqual([
        ...new Set(published.map(({ data }) => data.status as string)),
      ]);
      for (const { data } of published.slice(0, -1)) expect(['ended', 'converted']).toContain(data.status);
    }
  });

  test('10 identical outcomes, identities or resolutions each emit one event', async () => {
    const { id } = await startConversation(app, tenant);
    const calls = [CALLS.markOutcome, CALLS.resolveIdentity, CALLS.recordResolution];
    const outcomes = await times(30, (index) =>
      mutate(eitherApp(index), tenant.write, calls[index % 3] ?? '', { id }),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(Array(30).fill(null));
    expect((await stored(id)).map(({ event }) => event).sort()).toEqual([
      'conversation.started',
      'identity.resolved',
      'outcome.marked',
      'resolution.recorded',
    ]);
  });

  test('20 conversions that do not close the conversation result in 20 records and 20 events', async () => {
    const { id } = await startConversation(app, tenant);
    await times(20, (index) => mutate(eitherApp(index), tenant.write, CALLS.recordConversion, { id }));
    const ids = (await timeline(app, tenant, id)).flatMap(({ data }) => data.conversionEventId ?? []);
    expect(new Set(ids).size).toBe(20);
    const recorded = await app.models.ConversationMilestone.find({ kind: 'conversion' }).lean<
      { _id: object; conversationId: object }[]
    >();
    expect(
      recorded
        .filter(({ conversationId }) => String(conversationId) === id)
        .map(({ _id }) => String(_id))
        .sort(),
    ).toEqual(ids.sort());
  });
});

describe('concurrent appends to one conversation', () => {
  interface Line {
    text: string;
  }
  const textsOf = async (id: string) =>
    (await retrieve<{ transcript: Line[] }>(app, tenant, id)).transcript.map(({ text }) => text);

  const seqsOf = async (id: string): Promise<number[]> => {
    const stored = await app.models.Message.find({}).lean<{ conversationId: object; seq: number }[]>();
    return stored
      .filter(({ conversationId }) => String(conversationId) === id)
      .map(({ seq }) => seq)
      .sort((a, b) => a - b);
  };

  test('from 10 clients lose no message, keep their order, and leave no gap', async () => {
    const { id } = await startConversation(app, tenant);
    await times(10, async (client) => {
      for (let from = 0; from < 30; from += 5) {
        const { code } = await append(eitherApp(client), tenant, id, messages(5, from, `c${client}:`));
        expect(code).toBeNull();
      }
    });
    const texts = await textsOf(id);
    expect(texts).toHaveLength(300);
    for (let client = 0; client < 10; client += 1) {
      const own = texts.filter((text) => text.startsWith(`c${client}:`));
      expect(own).toEqual(messages(30, 0, `c${client}:`).map(({ text }) => text));
    }
    // Messages of one call are adjacent.
    for (let at = 0; at < 300; at += 5) {
      const [prefix, first] = texts[at]?.split(':') ?? [];
      expect(texts.slice(at, at + 5)).toEqual(
        messages(5, Number(first), `${prefix}:`).map(({ text }) => text),
      );
    }
    expect(await seqsOf(id)).toEqual(Array.from({ length: 300 }, (_, index) => index));
  });

  test('all 60 succeed', async () => {
    const { id } = await startConversation(app, tenant);
    const outcomes = await times(60, (index) => append(eitherApp(index), tenant, id, messages(1, index)));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(60).fill(null));
    expect((await textsOf(id)).sort()).toEqual(
      messages(60)
        .map(({ text }) => text)
        .sort(),
    );
  });

  test('with a concurrent close, exactly the acknowledged messages are stored', async () => {
    const { id } = await startConversation(app, tenant);
    const appending = times(20, (index) => append(eitherApp(index), tenant, id, messages(1, index)));
    await mutate(app, tenant.write, CALLS.closeConversation, { id });
    const outcomes = await appending;
    const accepted = outcomes.flatMap(({ code }, index) => (code === null ? [`m${index}`] : []));
    expect(outcomes.every(({ code }) => code === null || code === 'CONFLICT')).toBe(true);
    expect((await textsOf(id)).sort()).toEqual(accepted.sort());
  });
});
