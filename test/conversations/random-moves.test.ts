import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { CALLS, type ConversationView, MOVES, mutate, startConversation, timeline } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

/** Reference model of a conversation by contract 8. */
interface Model {
  status: string;
  converted: boolean;
  goal: string | null;
  messageCount: number;
  category: string | null;
  person: string | null;
  company: string | null;
  /** Types of the events so far; the end of a conversation with its status and flag. */
  published: string[];
}

const isOver = ({ status }: Model) => ['ended', 'converted', 'closed'].includes(status);

/** Changes the model, or says that it is a conflict. */
type Step = (model: Model) => 'conflict' | undefined;

function toStatus(model: Model, to: string): 'conflict' | undefined {
  if (model.status === to) return;
  if (isOver(model) && to !== 'closed') return 'conflict';
  model.status = to;
  model.published.push(`conversation.ended ${to} ${model.converted}`);
  return undefined;
}

const handOff: Step = (model) => {
  if (isOver(model)) return 'conflict';
  if (model.status === 'handed_off') return;
  model.status = 'handed_off';
  model.published.push('handoff.requested');
  return undefined;
};

const convert =
  (goal: string, closes: boolean): Step =>
  (model) => {
    if (closes && model.status === 'converted') return;
    if (closes && isOver(model)) return 'conflict';
    Object.assign(model, { converted: true, goal });
    model.published.push('conversion.recorded');
    return closes ? toStatus(model, 'converted') : undefined;
  };

const mark =
  (category: string | null): Step =>
  (model) => {
    if (model.category === category) return;
    model.category = category;
    model.published.push('outcome.marked');
    return undefined;
  };

const say: Step = (model) => {
  if (isOver(model)) return 'conflict';
  model.messageCount += 1;
  return undefined;
};

const identify =
  (person: string): Step =>
  (model) => {
    if (model.person === person) return;
    model.person = person;
    model.published.push('identity.resolved');
    return undefined;
  };

const resolve =
  (company: string): Step =>
  (model) => {
    if (model.company === company) return;
    model.company = company;
    model.published.push('resolution.recorded');
    return undefined;
  };

const move = (call: string, step: Step) => ({ call, step, toString: () => call });

const moves = fc.oneof(
  fc.constantFrom(
    move(MOVES.requestHandoff, handOff),
    move(MOVES.end, (model) => toStatus(model, 'ended')),
    move(MOVES.close, (model) => toStatus(model, 'closed')),
    move(CALLS.appendMessages, say),
  ),
  fc
    .record({ goal: fc.constantFrom('demo_booked', 'signed_up'), closes: fc.boolean() })
    .map(({ goal, closes }) =>
      move(
        `recordConversion(conversationId: $id, input: { goal: "${goal}", closes: ${closes} })`,
        convert(goal, closes),
      ),
    ),
  fc
    .constantFrom('good', 'bad', null)
    .map((category) =>
      move(`markOutcome(conversationId: $id, category: ${category && `"${category}"`})`, mark(category)),
    ),
  fc
    .constantFrom('p_1', 'p_2')
    .map((person) =>
      move(
        `resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "${person}" })`,
        identify(person),
      ),
    ),
  fc
    .constantFrom('Example Ltd', 'Other Ltd')
    .map((company) =>
      move(
        `recordResolution(conversationId: $id, input: { resolvedCompany: "${company}" })`,
        resolve(company),
      ),
    ),
);

const summary = ({ status, converted, goal, messageCount, outcome, endedAt }: ConversationView) => ({
  status,
  converted,
  goal,
  messageCount,
  category: outcome?.category ?? null,
  over: endedAt !== null,
});

test('any sequence of operations follows the table of transitions and emits exactly its events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moves, { minLength: 1, maxLength: 14, size: 'max' }), async (sequence) => {
      const { id } = await startConversation(app, tenant);
      const model: Model = {
        status: 'active',
        converted: false,
        goal: null,
        messageCount: 0,
        category: null,
        person: null,
        company: null,
        published: ['conversation.started'],
      };
      let endedAt: string | null = null;
      for (const { call, step } of sequence) {
        const conflict = step(model) === 'conflict';
        const { conversation, code } = await mutate(app, tenant.write, call, { id });
        expect(code).toBe(conflict ? 'CONFLICT' : null);
        if (!conversation) continue;
        const { status, converted, goal, messageCount, category } = model;
        const expected = { status, converted, goal, messageCount, category, over: isOver(model) };
        expect(summary(conversation)).toEqual(expected);
        // The first end is the one that counts.
        expect(conversation.endedAt).toBe(endedAt ?? conversation.endedAt);
        endedAt = conversation.endedAt;
      }
      const published = (await timeline(app, tenant, id)).map(({ event, data }) =>
        event === 'conversation.ended' ? `${event} ${data.status} ${data.converted}` : event,
      );
      expect(published).toEqual(model.published);
    }),
    { numRuns: 40 },
  );
});
