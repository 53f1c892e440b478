import { AppError, invalid } from '../../errors.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import { orderOf } from '../../platform/mongo/order.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { outgoing } from '../webhooks/outbox.ts';
import { type ChangeDeps, createChange, step } from './change.ts';
import type { ConversationDoc, MessageDoc } from './conversations.model.ts';
import { MAX_MESSAGES } from './conversations.service.ts';
import type { Conversation, Identity, MessageRole, Urgency } from './conversations.types.ts';
import { conversionUnit } from './conversions.ts';
import { isTerminal, TRANSITIONS } from './transitions.ts';
import { toConversation } from './views.ts';

/** Messages that one call may append (contract 8). */
export const MAX_BATCH = 500;

interface NewMessage {
  role: MessageRole;
  text: string;
  /** Default: now. */
  sentAt?: Date | null;
}

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

/** The life of a conversation: every move is one unit of work, committed with the event that tells of it. */
export function moveService({ conversations, committer, clock }: ChangeDeps) {
  const change = createChange({ conversations, committer, clock });

  const ended = (
    tenant: Tenant,
    conversationId: string,
    move: 'end' | 'convert' | 'close',
    converted: boolean,
    now: Date,
  ) =>
    outgoing(
      tenant,
      TRANSITIONS[move].event,
      { conversationId, status: TRANSITIONS[move].to, converted },
      now,
    );

  /** End and close: a change of status and the event that tells of it. */
  const finish = (tenant: Tenant, id: string, move: 'end' | 'close') =>
    change(tenant, id, (conversation, now) => {
      const plan = step(move, conversation, now);
      return plan && { ...plan, events: [ended(tenant, id, move, conversation.converted, now)] };
    });

  return {
    /** Starts a conversation, which is `active`. */
    async start(
      tenant: Tenant,
      input: { visitorId: string; goal?: string | null; startedAt?: Date | null },
    ): Promise<Conversation> {
      const now = clock.now();
      if (input.startedAt && input.startedAt > now) throw invalid('startedAt', 'Must not be in the future.');
      const startedAt = input.startedAt ?? now;
      const _id = newObjectId(now);
      const conversation: ConversationDoc = {
        _id,
        customerId: tenant.customerId,
        visitorId: input.visitorId,
        status: 'active',
        converted: false,
        goal: orNull(input.goal),
        startedAt,
        endedAt: null,
        order: orderOf(startedAt, _id),
        messageCount: 0,
        identity: null,
        conversion: null,
        outcome: null,
        resolution: null,
      };
      const data = { conversationId: _id.toHexString(), visitorId: input.visitorId };
      return committer.commit(() => ({
        writes: [conversations.insertion(tenant, conversation)],
        events: [outgoing(tenant, 'conversation.started', data, now)],
        result: toConversation(conversation),
      }));
    },

    /** Adds to the transcript, in the order given. `CONFLICT` once the conversation is over or full. */
    appendMessages(tenant: Tenant, id: string, messages: NewMessage[]): Promise<Conversation> {
      if (messages.length === 0 || messages.length > MAX_BATCH)
        throw invalid('messages', `Must be 1 to ${MAX_BATCH} messages.`);
      return change(tenant, id, ({ _id, status, messageCount }, now) => {
        if (isTerminal(status))
          throw new AppError('CONFLICT', `A conversation that is ${status} takes no more messages.`);
        if (messageCount + messages.length > MAX_MESSAGES)
          throw new AppError('CONFLICT', `A conversation has at most ${MAX_MESSAGES} messages.`);
        const added = messages.map(
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
          expected: { status, messageCount },
          set: { messageCount: messageCount + messages.length },
          writes: conversations.messageInsertions(tenant, added),
        };
      });
    },

    /** Says who the visitor is. The same again changes nothing. */
    resolveIdentity(
      tenant: Tenant,
      id: string,
      input: Pick<Identity, 'resolvedPersonId'> & Partial<Identity>,
    ) {
      const identity: Identity = {
        resolvedPersonId: input.resolvedPersonId,
        company: orNull(input.company),
        firstName: orNull(input.firstName),
        lastName: orNull(input.lastName),
        jobTitle: orNull(input.jobTitle),
        email: orNull(input.email),
      };
      return change(tenant, id, (conversation, now) => {
        if (isSame(conversation.identity, identity)) return null;
        return {
          expected: { identity: conversation.identity },
          set: { identity },
          events: [outgoing(tenant, 'identity.resolved', { conversationId: id, ...identity }, now)],
        };
      });
    },

    /**
     * Records a conversion, in whatever status. With `closes` it also ends the conversation as `converted`;
     * then it is a move by the table, and a repetition changes nothing.
     */
    recordConversion(
      tenant: Tenant,
      id: string,
      input: { goal: string; conversionType?: string | null; value?: number | null; closes?: boolean | null },
    ): Promise<Conversation> {
      return change(tenant, id, (conversation, now) => {
        const plan = input.closes ? step('convert', conversation, now) : { expected: {}, set: {} };
        if (!plan) return null;
        const conversion = {
          id: newObjectId(now),
          goal: input.goal,
          type: input.conversionType ?? input.goal,
          value: orNull(input.value),
        };
        const { writes, events, changed } = conversionUnit(
          conversations,
          tenant,
          conversation,
          conversion,
          now,
        );
        return {
          expected: plan.expected,
          set: { ...plan.set, ...changed },
          writes,
          events: input.closes ? [...events, ended(tenant, id, 'convert', true, now)] : events,
        };
      });
    },

    /** Records whom a conversation was resolved to. The same as the last time changes nothing. */
    recordResolution(
      tenant: Tenant,
      id: string,
      input: { resolvedPersonId?: string | null; resolvedCompany?: string | null },
    ): Promise<Conversation> {
      const resolution = {
        resolvedPersonId: orNull(input.resolvedPersonId),
        resolvedCompany: orNull(input.resolvedCompany),
      };
      if (resolution.resolvedPersonId === null && resolution.resolvedCompany === null)
        throw invalid('input', 'Must have a resolvedPersonId or a resolvedCompany.');
      return change(tenant, id, (conversation, now) => {
        if (isSame(conversation.resolution, resolution)) return null;
        const { _id: conversationId } = conversation;
        const _id = newObjectId(now);
        const record = {
          _id,
          customerId: tenant.customerId,
          conversationId,
          kind: 'resolution',
          data: { ...resolution, recordedAt: now },
        } as const;
        const data = { resolutionEventId: _id.toHexString(), conversationId: id, ...resolution };
        return {
          expected: { resolution: conversation.resolution },
          set: { resolution },
          writes: [conversations.recordInsertion(tenant, record)],
          events: [outgoing(tenant, 'resolution.recorded', data, now)],
        };
      });
    },

    /** Hands the conversation to a person. */
    requestHandoff(
      tenant: Tenant,
      id: string,
      input: { schemaName: string; urgency: Urgency; reason?: string | null },
    ): Promise<Conversation> {
      const handoff = { schemaName: input.schemaName, urgency: input.urgency, reason: orNull(input.reason) };
      return change(tenant, id, (conversation, now) => {
        const plan = step('requestHandoff', conversation, now);
        if (!plan) return null;
        const { _id: conversationId } = conversation;
        const _id = newObjectId(now);
        const record = {
          _id,
          customerId: tenant.customerId,
          conversationId,
          kind: 'handoff',
          data: { ...handoff, requestedAt: now },
        } as const;
        const data = { escalationId: _id.toHexString(), conversationId: id, ...handoff };
        return {
          ...plan,
          writes: [conversations.recordInsertion(tenant, record)],
          events: [outgoing(tenant, 'handoff.requested', data, now)],
        };
      });
    },

    /** The visitor left, or it timed out. */
    end: (tenant: Tenant, id: string): Promise<Conversation> => finish(tenant, id, 'end'),

    /** An operator closes it, also after it has ended or converted. */
    close: (tenant: Tenant, id: string): Promise<Conversation> => finish(tenant, id, 'close'),

    /** Grades the conversation; null clears the grade. */
    markOutcome(tenant: Tenant, id: string, category: string | null): Promise<Conversation> {
      return change(tenant, id, ({ outcome }, now) => {
        if ((outcome?.category ?? null) === category) return null;
        return {
          expected: { outcome },
          set: { outcome: category === null ? null : { category, markedAt: now } },
          events: [outgoing(tenant, 'outcome.marked', { conversationId: id, category }, now)],
        };
      });
    },
  };
}

export type MoveService = ReturnType<typeof moveService>;

/** Whether two flat objects have the same values. */
const isSame = (a: object | null, b: object): boolean =>
  a !== null && Object.entries(b).every(([key, value]) => (a as Record<string, unknown>)[key] === value);
