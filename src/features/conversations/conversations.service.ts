import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { isOrder } from '../../platform/mongo/order.ts';
import { type Page, type PageRequest, toPage } from '../../platform/page.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { toConversation, toMessage, toRecord } from './conversations.model.ts';
import type { ConversationFilter, ConversationStore } from './conversations.store.ts';
import {
  CONVERSATION_STATUSES,
  type Conversation,
  type ConversationStatus,
  type Conversion,
  type Handoff,
  MAX_MESSAGES,
  type Message,
  type Resolution,
} from './conversations.types.ts';

/** Records of one kind that a conversation shows; more than anybody makes by hand. */
const MAX_RECORDS = 1_000;

/** What is read of conversations; `moves.service.ts` changes them. */
export function conversationService({ conversations }: { conversations: ConversationStore }) {
  const cursorOf = (tenant: Tenant, { converted, status, since }: ConversationFilter) =>
    cursorCodec(['conversations', tenant.customerId, converted, status, since?.getTime()], isOrder);

  return {
    /** Newest first, by their start. */
    async list(
      tenant: Tenant,
      filter: ConversationFilter,
      { limit, after }: PageRequest,
    ): Promise<Page<Conversation>> {
      const cursor = cursorOf(tenant, filter);
      const rows = await conversations.list(
        tenant,
        filter,
        after === null ? null : cursor.decode(after),
        limit + 1,
      );
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.order), node: toConversation(row) }));
    },

    /** The same list, going on after a conversation of the tenant; `NOT_FOUND` when it has none of that id. */
    async listAfterId(
      tenant: Tenant,
      filter: ConversationFilter,
      page: { limit: number; afterId: string | null },
    ) {
      const before = page.afterId === null ? null : (await conversations.get(tenant, page.afterId)).order;
      const rows = await conversations.list(tenant, filter, before, page.limit + 1);
      return { data: rows.slice(0, page.limit).map(toConversation), hasMore: rows.length > page.limit };
    },

    /** Null when the tenant has no such conversation. */
    async find(tenant: Tenant, id: string): Promise<Conversation | null> {
      const found = await conversations.find(tenant, id);
      return found && toConversation(found);
    },

    /** `NOT_FOUND` when the tenant has no such conversation. */
    get: async (tenant: Tenant, id: string): Promise<Conversation> =>
      toConversation(await conversations.get(tenant, id)),

    /** Messages in their order. */
    async transcript(tenant: Tenant, id: string, { limit, after }: PageRequest): Promise<Page<Message>> {
      const cursor = cursorCodec(['messages', tenant.customerId, id], isInteger);
      const rows = await conversations.messages(
        tenant,
        id,
        after === null ? null : cursor.decode(after),
        limit + 1,
      );
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.seq), node: toMessage(row) }));
    },

    wholeTranscript: async (tenant: Tenant, id: string): Promise<Message[]> =>
      (await conversations.messages(tenant, id, null, MAX_MESSAGES)).map(toMessage),

    conversions: async (tenant: Tenant, id: string): Promise<Conversion[]> =>
      (await conversations.records(tenant, id, 'conversion', MAX_RECORDS)).map(toRecord),

    resolutions: async (tenant: Tenant, id: string): Promise<Resolution[]> =>
      (await conversations.records(tenant, id, 'resolution', MAX_RECORDS)).map(toRecord),

    handoffs: async (tenant: Tenant, id: string): Promise<Handoff[]> =>
      (await conversations.records(tenant, id, 'handoff', MAX_RECORDS)).map(toRecord),

    /** How many of those started since a time stand where. */
    activity: (tenant: Tenant, since: Date): Promise<{ status: ConversationStatus; count: number }[]> =>
      Promise.all(
        CONVERSATION_STATUSES.map(async (status) => ({
          status,
          count: await conversations.countByStatus(tenant, status, since),
        })),
      ),
  };
}

export type ConversationService = ReturnType<typeof conversationService>;
