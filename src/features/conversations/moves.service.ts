import { AppError, invalid } from '../../errors/app-error.ts';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import { CLOCK_SKEW_MS, type Clock } from '../../platform/clock.ts';
import type { CommitOptions } from '../../platform/commit/idempotency/idempotent-commit.ts';
import type { Write } from '../../platform/commit/unit-of-work.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { orderOf } from '../../platform/mongo/time-order.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import type { Suppressions } from '../privacy/suppression.service.ts';
import type { Suppressor } from '../privacy/suppressor.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { decide, isTerminal, type Move, TRANSITIONS } from './allowed-moves.ts';
import { endedEvent, identityEvent, startedEvent } from './conversation-events.ts';
import {
  type ConversationDoc,
  type MessageDoc,
  nextEventTime,
  toConversation,
} from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';
import {
  type Conversation,
  type Identity,
  MAX_MESSAGES,
  MAX_TEXT_BYTES,
  type MessageRole,
  textBytesOf,
  type Urgency,
} from './conversations.types.ts';
import type { Conversions } from './conversions.ts';
import { isSuppressedIdentity, textsOf, withFreeTexts, withLabels } from './without-suppressed.ts';

interface NewMessage {
  role: MessageRole;
  text: string;
  /** Now by default. */
  sentAt?: Date | null;
}

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  outbox: Outbox;
  /** Limits the conversations of each tenant; null for no limit. */
  limit: TenantLimit | null;
  suppressions: Suppressions;
  /** Replaces what a conversation and its events say about its visitor. */
  suppressContents: (tenant: Tenant, id: ConversationDoc['_id']) => Promise<void>;
  clock: Clock;
}

/** A change of a conversation, planned on its current state. */
interface PlannedChange {
  /** Fields that must be unchanged at the commit, so that the database decides between concurrent changes. */
  expected: readonly (keyof ConversationDoc)[];
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
  plan: (
    conversation: ConversationDoc,
    now: Date,
    suppressor: Suppressor | null,
  ) => Promise<PlannedChange | null> | PlannedChange | null,
) => Promise<Conversation>;

/**
 * Creates the function that changes a conversation. The process serializes the changes of one conversation: committed
 * together, they would abort each other and their whole group.
 */
function createChange({
  conversations,
  outbox,
  suppressions,
  clock,
}: Pick<Deps, 'conversations' | 'outbox' | 'suppressions' | 'clock'>): ChangeConversation {
  const serialize = createKeyedSerial();
  return (tenant, id, { idempotency }, plan) =>
    serialize(`${tenant.customerId}:${id}`, () =>
      suppressions.whileStoring(tenant, async (suppressor) => {
        const { result } = await outbox.commit<Conversation>(
          async () => {
            const conversation = await conversations.get(tenant, id);
            const now = nextEventTime(conversation, clock.now());
            const planned = await plan(conversation, now, suppressor);
            if (!planned)
              return {
                writes: [conversations.confirmation(tenant, conversation)],
                events: [],
                result: toConversation(conversation),
              };
            const { expected, set, writes = [], events = [] } = planned;
            return {
              writes: [
                await conversations.update(tenant, conversation, {
                  // A conversation that turned out to be a suppressed person's is planned again.
                  expected: ['visitorId', ...expected],
                  set,
                  eventAt: events.length > 0 ? now : null,
                }),
                ...writes,
              ],
              events,
              result: toConversation({ ...conversation, ...set }),
            };
          },
          { tenant, idempotency },
        );
        return result;
      }),
    );
}

/**
 * Plans a change of status; null for a repetition.
 *
 * @throws AppError `CONFLICT` if the move is not allowed
 */
function planMove(
  move: Move,
  { status, endedAt }: Pick<ConversationDoc, 'status' | 'endedAt'>,
  now: Date,
): Pick<PlannedChange, 'expected' | 'set'> | null {
  const decision = decide(move, status);
  if (decision === 'repeats') return null;
  const { to } = TRANSITIONS[move];
  if (decision === 'conflicts')
    throw new AppError('CONFLICT', `A conversation with status ${status} cannot become ${to}.`);
  return {
    // `converted` is part of the payload of `conversation.ended`.
    expected: ['status', 'converted'],
    set: { status: to, endedAt: isTerminal(to) ? (endedAt ?? now) : null },
  };
}

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

/** Changes conversations. Each change is a unit of work, committed with the events that it publishes. */
export function moveService(deps: Deps) {
  const { conversations, conversions, outbox, limit, suppressions, suppressContents, clock } = deps;
  const change = createChange({ conversations, outbox, suppressions, clock });

  const finish = (tenant: Tenant, id: string, move: 'end' | 'close', options: CommitOptions) =>
    change(tenant, id, options, (conversation, now) => {
      const planned = planMove(move, conversation, now);
      const ended = { ...conversation, status: TRANSITIONS[move].to };
      return planned && { ...planned, events: [endedEvent(tenant, ended, now)] };
    });

  /**
   * Plans to make a conversation a suppressed person's. What it and its events say about its visitor is replaced before
   * the commit, which fails if the conversation changes meanwhile.
   */
  async function suppress(tenant: Tenant, conversation: ConversationDoc): Promise<PlannedChange> {
    await suppressContents(tenant, conversation._id);
    suppressions.count('conversations');
    return {
      expected: ['status', 'identity', 'resolution', 'messageCount'],
      set: { visitorId: SUPPRESSED, identity: null, resolution: null },
    };
  }

  return {
    /** Starts a conversation with status `active`. @throws AppError `CONFLICT` beyond the tenant's limit */
    start: (
      tenant: Tenant,
      input: { visitorId: string; goal?: string | null; startedAt?: Date | null },
      { idempotency }: CommitOptions = {},
    ): Promise<Conversation> =>
      suppressions.whileStoring(tenant, async (suppressor) => {
        // Nothing is awaited between the time of the id and the commit, which lists wait for from then on.
        const now = clock.now();
        if (input.startedAt && input.startedAt.getTime() > now.getTime() + CLOCK_SKEW_MS)
          throw invalid('startedAt', 'Must not be in the future.');
        const startedAt = input.startedAt && input.startedAt < now ? input.startedAt : now;
        const isSuppressed = suppressor?.isSuppressed({ visitorId: input.visitorId }) ?? false;
        const visitorId = isSuppressed ? SUPPRESSED : input.visitorId;
        const { label } = textsOf({ visitorId }, suppressor);
        const _id = newObjectId(now);
        const conversation: ConversationDoc = {
          _id,
          customerId: tenant.customerId,
          visitorId,
          status: 'active',
          converted: false,
          goal: label(orNull(input.goal)),
          startedAt,
          endedAt: null,
          order: orderOf(startedAt, _id),
          messageCount: 0,
          textBytes: 0,
          identity: null,
          conversion: null,
          outcome: null,
          resolution: null,
          lastEventAt: now,
        };
        const reserve = limit?.reservation(tenant);
        const { result } = await outbox.commit(
          async () => {
            await reserve?.(1);
            return {
              writes: await conversations.insertions([conversation]),
              events: [startedEvent(tenant, conversation, now)],
              result: toConversation(conversation),
            };
          },
          { tenant, idempotency },
        );
        if (isSuppressed) suppressions.count('conversations');
        return result;
      }),

    /** Appends to the transcript, in the given order. @throws AppError `CONFLICT` when it is terminal or full */
    appendMessages(
      tenant: Tenant,
      id: string,
      messages: NewMessage[],
      options: CommitOptions = {},
    ): Promise<Conversation> {
      return change(tenant, id, options, async (conversation, now, suppressor) => {
        const { _id, status, messageCount, textBytes } = conversation;
        const appendedBytes = textBytesOf(messages);
        if (isTerminal(status))
          throw new AppError('CONFLICT', `A conversation with status ${status} accepts no messages.`);
        if (messageCount + messages.length > MAX_MESSAGES)
          throw new AppError('CONFLICT', `A conversation holds at most ${MAX_MESSAGES} messages.`);
        if (textBytes + appendedBytes > MAX_TEXT_BYTES)
          throw new AppError(
            'CONFLICT',
            `A conversation holds at most ${MAX_TEXT_BYTES / 1024 / 1024} MiB of text.`,
          );
        const stored = await withFreeTexts(conversation, messages, suppressor);
        const appended = stored.map(
          ({ role, text, sentAt }, index): MessageDoc => ({
            _id: newObjectId(now),
            customerId: tenant.customerId,
            conversationId: _id,
            seq: messageCount + index,
            role,
            text,
            sentAt: sentAt ?? now,
          }),
        );
        return {
          // Every append changes the count, so it guards the text size as well.
          expected: ['status', 'messageCount'],
          set: { messageCount: messageCount + messages.length, textBytes: textBytes + appendedBytes },
          writes: await conversations.messageInsertions(appended),
        };
      });
    },

    /**
     * Sets the visitor's identity. The same identity again changes nothing. A suppressed person's identity is not stored:
     * the conversation becomes that of a suppressed person.
     */
    resolveIdentity(
      tenant: Tenant,
      id: string,
      input: Pick<Identity, 'resolvedPersonId'> & Partial<Identity>,
      options: CommitOptions = {},
    ) {
      const given: Identity = {
        resolvedPersonId: input.resolvedPersonId,
        company: orNull(input.company),
        firstName: orNull(input.firstName),
        lastName: orNull(input.lastName),
        jobTitle: orNull(input.jobTitle),
        email: orNull(input.email),
      };
      return change(tenant, id, options, (conversation, now, suppressor) => {
        if (conversation.visitorId === SUPPRESSED) return null;
        if (isSuppressedIdentity(given, suppressor)) return suppress(tenant, conversation);
        const identity = withLabels(given, textsOf(conversation, suppressor).label);
        if (isSame(conversation.identity, identity)) return null;
        return {
          expected: ['identity'],
          set: { identity },
          events: [identityEvent(tenant, { _id: conversation._id, identity }, now)],
        };
      });
    },

    /**
     * Records a conversion, in any status. `closes` also moves the conversation to `converted`; repeating that changes
     * nothing.
     */
    recordConversion(
      tenant: Tenant,
      id: string,
      input: { goal: string; conversionType?: string | null; value?: number | null; closes?: boolean | null },
      options: CommitOptions = {},
    ): Promise<Conversation> {
      return change(tenant, id, options, async (conversation, now, suppressor) => {
        const { label } = textsOf(conversation, suppressor);
        const move = input.closes ? planMove('convert', conversation, now) : { expected: [], set: {} };
        if (!move) return null;
        const conversion = {
          id: newObjectId(now),
          goal: label(input.goal),
          type: label(input.conversionType ?? input.goal),
          value: orNull(input.value),
        };
        const planned = await conversions.plan(tenant, { conversation, conversion, now });
        const ended = { ...conversation, status: TRANSITIONS.convert.to, converted: true };
        return {
          expected: move.expected,
          set: { ...move.set, ...planned.changed },
          writes: planned.writes,
          events: [...planned.events, ...(input.closes ? [endedEvent(tenant, ended, now)] : [])],
        };
      });
    },

    /** Records the person or company that the conversation was resolved to. Repeating the latest changes nothing. */
    recordResolution(
      tenant: Tenant,
      id: string,
      input: { resolvedPersonId?: string | null; resolvedCompany?: string | null },
      options: CommitOptions = {},
    ): Promise<Conversation> {
      const given = {
        resolvedPersonId: orNull(input.resolvedPersonId),
        resolvedCompany: orNull(input.resolvedCompany),
      };
      if (given.resolvedPersonId === null && given.resolvedCompany === null)
        throw invalid('input', 'Must have a resolvedPersonId or a resolvedCompany.');
      return change(tenant, id, options, async (conversation, now, suppressor) => {
        if (conversation.visitorId === SUPPRESSED) return null;
        if (suppressor?.isSuppressed(given)) return suppress(tenant, conversation);
        const { label } = textsOf(conversation, suppressor);
        const resolution = { ...given, resolvedCompany: label(given.resolvedCompany) };
        if (isSame(conversation.resolution, resolution)) return null;
        const { _id: conversationId } = conversation;
        const _id = newObjectId(now);
        const milestone = {
          _id,
          customerId: tenant.customerId,
          conversationId,
          kind: 'resolution',
          data: { ...resolution, recordedAt: now },
        } as const;
        const data = { resolutionEventId: _id.toHexString(), conversationId: id, ...resolution };
        return {
          expected: ['resolution'],
          set: { resolution },
          writes: await conversations.milestoneInsertions([milestone]),
          events: [newEvent({ tenant, event: 'resolution.recorded', data, now })],
        };
      });
    },

    /**
     * Requests an operator for an active conversation. A repetition changes nothing.
     *
     * @throws AppError `CONFLICT` if the conversation has ended
     */
    requestHandoff(
      tenant: Tenant,
      id: string,
      input: { schemaName: string; urgency: Urgency; reason?: string | null },
      options: CommitOptions = {},
    ): Promise<Conversation> {
      return change(tenant, id, options, async (conversation, now, suppressor) => {
        const { label, free } = textsOf(conversation, suppressor);
        const handoff = {
          schemaName: label(input.schemaName),
          urgency: input.urgency,
          reason: free(orNull(input.reason)),
        };
        const planned = planMove('requestHandoff', conversation, now);
        if (!planned) return null;
        const { _id: conversationId } = conversation;
        const _id = newObjectId(now);
        const milestone = {
          _id,
          customerId: tenant.customerId,
          conversationId,
          kind: 'handoff',
          data: { ...handoff, requestedAt: now },
        } as const;
        const data = { escalationId: _id.toHexString(), conversationId: id, ...handoff };
        return {
          ...planned,
          writes: await conversations.milestoneInsertions([milestone]),
          events: [newEvent({ tenant, event: 'handoff.requested', data, now })],
        };
      });
    },

    /** Ends the conversation after the visitor left or it timed out. */
    end: (tenant: Tenant, id: string, options: CommitOptions = {}): Promise<Conversation> =>
      finish(tenant, id, 'end', options),

    /** Closes the conversation on behalf of an operator, even after it has ended or converted. */
    close: (tenant: Tenant, id: string, options: CommitOptions = {}): Promise<Conversation> =>
      finish(tenant, id, 'close', options),

    /** Sets the outcome grade; null clears it. */
    markOutcome(
      tenant: Tenant,
      id: string,
      input: { category: string | null },
      options: CommitOptions = {},
    ): Promise<Conversation> {
      return change(tenant, id, options, (conversation, now, suppressor) => {
        const { outcome } = conversation;
        const category = textsOf(conversation, suppressor).label(input.category);
        if ((outcome?.category ?? null) === category) return null;
        return {
          expected: ['outcome'],
          set: { outcome: category === null ? null : { category, markedAt: now } },
          events: [
            newEvent({ tenant, event: 'outcome.marked', data: { conversationId: id, category }, now }),
          ],
        };
      });
    },
  };
}

export type MoveService = ReturnType<typeof moveService>;

/** Compares flat objects by the values of `b`'s keys. */
const isSame = (a: object | null, b: object): boolean =>
  a !== null && Object.entries(b).every(([key, value]) => (a as Record<string, unknown>)[key] === value);
