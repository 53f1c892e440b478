import type { mongo } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CommitOptions } from '../../platform/commit/idempotency/idempotent-commit.ts';
import type { Write } from '../../platform/commit/unit-of-work.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { decide, isTerminal, type Move, TRANSITIONS } from './allowed-moves.ts';
import { type ConversationDoc, toConversation } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';
import type { Conversation } from './conversations.types.ts';

export interface ChangeDeps {
  conversations: ConversationStore;
  outbox: Outbox;
  clock: Clock;
}

/** A change of a conversation, planned on its current state. */
interface PlannedChange {
  /** Must still hold at the commit, so that the database decides between concurrent changes. */
  expected: mongo.Document;
  set: Partial<ConversationDoc>;
  /** Further writes. */
  writes?: Write[];
  events?: OutboxEvent[];
}

/**
 * Changes a conversation.
 *
 * @param plan plans the change on the current state; null for a repetition, which changes nothing
 * @throws AppError `NOT_FOUND` if the tenant has no such conversation
 */
type ChangeConversation = (
  tenant: Tenant,
  id: string,
  options: CommitOptions,
  plan: (conversation: ConversationDoc, now: Date) => PlannedChange | null,
) => Promise<Conversation>;

/**
 * Creates the function that changes a conversation. The process serializes the changes of one conversation: committed
 * together, they would abort each other and their whole group.
 */
export function createChange({ conversations, outbox, clock }: ChangeDeps): ChangeConversation {
  const serialize = createKeyedSerial();
  return (tenant, id, { idempotency }, plan) =>
    serialize(`${tenant.customerId}:${id}`, async () => {
      const { result } = await outbox.commit<Conversation>(
        async () => {
          const conversation = await conversations.get(tenant, id);
          const planned = plan(conversation, clock.now());
          if (!planned) return { writes: [], events: [], result: toConversation(conversation) };
          const { expected, set, writes = [], events = [] } = planned;
          return {
            writes: [conversations.update(tenant, conversation._id, { expected, set }), ...writes],
            events,
            result: toConversation({ ...conversation, ...set }),
          };
        },
        { tenant, idempotency },
      );
      return result;
    });
}

/**
 * Plans a change of status; null for a repetition.
 *
 * @throws AppError `CONFLICT` if the move is not allowed
 */
export function planMove(
  move: Move,
  { status, converted, endedAt }: Pick<ConversationDoc, 'status' | 'converted' | 'endedAt'>,
  now: Date,
): Pick<PlannedChange, 'expected' | 'set'> | null {
  const decision = decide(move, status);
  if (decision === 'repeats') return null;
  const { to } = TRANSITIONS[move];
  if (decision === 'conflicts')
    throw new AppError('CONFLICT', `A conversation with status ${status} cannot become ${to}.`);
  return {
    // `converted` is part of the payload of `conversation.ended`.
    expected: { status, converted },
    set: { status: to, endedAt: isTerminal(to) ? (endedAt ?? now) : null },
  };
}
