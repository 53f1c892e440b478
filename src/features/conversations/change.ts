import type { mongo } from 'mongoose';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Committer } from '../../platform/mongo/committer.ts';
import type { Write } from '../../platform/mongo/write.ts';
import { createSerial } from '../../platform/serial.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { OutgoingEvent } from '../webhooks/outbox.ts';
import type { ConversationDoc } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';
import type { Conversation } from './conversations.types.ts';
import { decide, isTerminal, type Move, TRANSITIONS } from './transitions.ts';
import { toConversation } from './views.ts';

export interface ChangeDeps {
  conversations: ConversationStore;
  committer: Committer<OutgoingEvent>;
  clock: Clock;
}

/** What a change means for the conversation it was planned on; null: nothing, it is a repetition. */
interface Plan {
  /** What must still be so when it is committed: the database decides between changes that run at once. */
  expected: mongo.Document;
  set: Partial<ConversationDoc>;
  /** Writes beside the conversation's own. */
  writes?: Write[];
  events?: OutgoingEvent[];
}

/** Changes a conversation as `plan` says. @throws AppError `NOT_FOUND` when the tenant has no such conversation */
type Change = (
  tenant: Tenant,
  id: string,
  plan: (conversation: ConversationDoc, now: Date) => Plan | null,
) => Promise<Conversation>;

/**
 * Plans on the conversation as it is, and anew whenever another process was faster. Changes of one conversation in this
 * process wait for each other: committed together they would only abort each other, and all that is in their group.
 */
export function createChange({ conversations, committer, clock }: ChangeDeps): Change {
  const oneByOne = createSerial();
  return (tenant, id, plan) =>
    oneByOne(`${tenant.customerId}:${id}`, () =>
      committer.commit<Conversation>(async () => {
        const conversation = await conversations.get(tenant, id);
        const planned = plan(conversation, clock.now());
        if (!planned) return { writes: [], events: [], result: toConversation(conversation) };
        const { expected, set, writes = [], events = [] } = planned;
        return {
          writes: [conversations.update(tenant, conversation._id, expected, { $set: set }), ...writes],
          events,
          result: toConversation({ ...conversation, ...set }),
        };
      }),
    );
}

/**
 * A change of status by the table; null when it is a repetition.
 *
 * @throws AppError `CONFLICT` when the table does not have it
 */
export function step(
  move: Move,
  { status, converted, endedAt }: Pick<ConversationDoc, 'status' | 'converted' | 'endedAt'>,
  now: Date,
): Pick<Plan, 'expected' | 'set'> | null {
  const decision = decide(move, status);
  if (decision === 'repeats') return null;
  const { to } = TRANSITIONS[move];
  if (decision === 'conflicts')
    throw new AppError('CONFLICT', `A conversation that is ${status} cannot become ${to}.`);
  // `converted` is part of what `conversation.ended` tells.
  return {
    expected: { status, converted },
    set: { status: to, endedAt: isTerminal(to) ? (endedAt ?? now) : null },
  };
}
