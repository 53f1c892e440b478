import type {
  ConversationDoc,
  MessageDoc,
  RecordDoc,
} from '../features/conversations/conversations.model.ts';
import type { MessageRole } from '../features/conversations/conversations.types.ts';
import { isTerminal } from '../features/conversations/transitions.ts';
import type { EventData, EventName } from '../features/outbox/event-catalogue.ts';
import { newEvent, type OutboxEvent } from '../features/outbox/outbox-event.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import { newObjectId } from '../platform/mongo/object-id.ts';
import { orderOf } from '../platform/mongo/order.ts';
import type { Visitor } from './people.ts';
import type { Random } from './random.ts';
import type { Step, Story } from './stories.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Shortest and longest pause before somebody speaks. */
const PAUSES: Record<MessageRole, [number, number]> = {
  visitor: [8 * SECOND, 70 * SECOND],
  bot: [SECOND, 4 * SECOND],
  operator: [40 * SECOND, 6 * MINUTE],
};
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;
const TIMES = ['9:30', '10:00', '11:15', '14:00', '15:30', '16:00'] as const;

/** A conversation with all that belongs to it. */
export interface Played {
  conversation: ConversationDoc;
  messages: MessageDoc[];
  records: RecordDoc[];
  /** What endpoints would have heard of it, oldest first. */
  events: OutboxEvent[];
}

interface Scene {
  tenant: Tenant;
  story: Story;
  visitor: Visitor;
  startedAt: Date;
  /** Nothing happens later. */
  now: Date;
  /** Where it stands at `now`; null: wherever the story leads. */
  stillOpen: 'active' | 'handed_off' | null;
}

/** The steps that come to be: a visitor may leave early, and what is still open has not got further yet. */
function stepsOf({ story, stillOpen }: Scene, random: Random): readonly Step[] {
  const handOff = story.steps.findIndex(({ kind }) => kind === 'handOff');
  if (stillOpen === 'handed_off') return story.steps.slice(0, handOff + 1);
  if (stillOpen === 'active') return story.steps.slice(0, Math.round(random.between(2, 3)));
  if (random.chance(story.dropOut)) return story.steps.slice(0, Math.round(random.between(2, 4)));
  return story.steps;
}

/** Lets a story happen as it would have through the service: the same documents, the same events. */
export function play(scene: Scene, random: Random): Played {
  const { tenant, story, visitor, startedAt, now, stillOpen } = scene;
  const { customerId } = tenant;
  const _id = newObjectId(startedAt);
  const conversationId = _id.toHexString();
  const conversation: ConversationDoc = {
    _id,
    customerId,
    visitorId: visitor.visitorId,
    status: 'active',
    converted: false,
    goal: story.goal,
    startedAt,
    endedAt: null,
    order: orderOf(startedAt, _id),
    messageCount: 0,
    identity: null,
    conversion: null,
    outcome: null,
    resolution: null,
  };
  const messages: MessageDoc[] = [];
  const records: RecordDoc[] = [];
  const events: OutboxEvent[] = [];
  let at = startedAt;
  /** False when that would be in the future: it has not happened yet. */
  const wait = (low: number, high: number): boolean => {
    const next = new Date(at.getTime() + Math.round(random.between(low, high)));
    if (next <= now) at = next;
    return next <= now;
  };
  const tell = <N extends EventName>(event: N, data: EventData<N>): void => {
    events.push(newEvent(tenant, event, data, at));
  };
  const record = <K extends RecordDoc['kind']>(kind: K, data: Extract<RecordDoc, { kind: K }>['data']) => {
    const id = newObjectId(at);
    records.push({ _id: id, customerId, conversationId: _id, kind, data } as RecordDoc);
    return id.toHexString();
  };
  const finish = (status: 'ended' | 'converted' | 'closed'): void => {
    conversation.status = status;
    conversation.endedAt ??= at;
    tell('conversation.ended', { conversationId, status, converted: conversation.converted });
  };
  const words: Record<string, string> = {
    ...{ email: visitor.identity.email, firstName: visitor.identity.firstName },
    ...{ company: visitor.identity.company, seats: String(visitor.seats) },
    ...{ monthly: String(visitor.seats * 7), day: random.pick(DAYS), time: random.pick(TIMES) },
  };
  const inWords = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');

  const take: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => void } = {
    say({ role, texts }) {
      const seq = messages.length;
      const text = inWords(random.pick(texts));
      messages.push({ _id: newObjectId(at), customerId, conversationId: _id, seq, role, text, sentAt: at });
    },
    identify() {
      conversation.identity = visitor.identity;
      tell('identity.resolved', { conversationId, ...visitor.identity });
    },
    convert({ goal, value: base, perSeat = 0, closes }) {
      const value = base + perSeat * visitor.seats;
      const conversion = { goal, type: goal, value, recordedAt: at };
      const id = record('conversion', conversion);
      conversation.converted = true;
      conversation.goal = goal;
      conversation.conversion = { id, ...conversion };
      tell('conversion.recorded', { conversionEventId: id, conversationId, conversionType: goal, value });
      if (closes) finish('converted');
    },
    handOff({ schemaName, urgency, reason }) {
      const escalationId = record('handoff', { schemaName, urgency, reason, requestedAt: at });
      conversation.status = 'handed_off';
      tell('handoff.requested', { escalationId, conversationId, schemaName, urgency, reason });
    },
    close: () => finish('closed'),
  };

  tell('conversation.started', { conversationId, visitorId: visitor.visitorId });
  for (const step of stepsOf(scene, random)) {
    const [low, high] = step.kind === 'say' ? PAUSES[step.role] : [SECOND, 3 * SECOND];
    if (!wait(low, high)) break;
    (take[step.kind] as (step: Step) => void)(step);
  }
  conversation.messageCount = messages.length;

  const isOver = () => isTerminal(conversation.status);
  if (stillOpen === null && !isOver() && wait(10 * MINUTE, 20 * MINUTE)) finish('ended');
  if (conversation.status === 'converted' && random.chance(0.3) && wait(HOUR, 8 * HOUR)) finish('closed');
  if (isOver() && random.chance(conversation.identity ? 0.5 : 0.1) && wait(MINUTE, 40 * MINUTE)) {
    const { resolvedPersonId, company } = visitor.identity;
    const resolution = {
      resolvedPersonId: conversation.identity && resolvedPersonId,
      resolvedCompany: company,
    };
    const resolutionEventId = record('resolution', { ...resolution, recordedAt: at });
    conversation.resolution = resolution;
    tell('resolution.recorded', { resolutionEventId, conversationId, ...resolution });
  }
  if (isOver() && random.chance(0.45) && wait(2 * HOUR, 30 * HOUR)) {
    const category = random.pick(story.outcomes);
    conversation.outcome = { category, markedAt: at };
    tell('outcome.marked', { conversationId, category });
  }
  return { conversation, messages, records, events };
}
