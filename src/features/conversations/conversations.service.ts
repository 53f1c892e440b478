import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import {
  type IdPage,
  type IdPageRequest,
  type Page,
  type PageRequest,
  readPage,
  toIdPage,
} from '../../platform/list-page.ts';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { isOrder, orderOf } from '../../platform/mongo/time-order.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationExport } from './conversation-export.store.ts';
import { type ConversationFilter, wordsOf } from './conversation-filter.ts';
import { type ConversationDoc, toConversation, toMessage, toMilestone } from './conversations.model.ts';
import type { ConversationStore } from './conversations.store.ts';
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
import { readGroups } from './read-groups.ts';

/** Milestones of one type that a query returns per conversation. */
const MAX_MILESTONES = 1_000;

/** What one page of a search reads at most, and the conversations of one read. */
const MAX_SEARCHED = { conversations: 5_000, messages: 100_000, textBytes: 64 * 1024 * 1024 };
const SEARCH_WINDOW = 500;

interface Range {
  /** Order of the last row of the previous page; null for the first page. */
  before: string | null;
  limit: number;
}

export interface ConversationCount {
  status: ConversationStatus;
  count: number;
}

interface Deps {
  conversations: ConversationStore;
  exported: ConversationExport;
  order: Pick<CommitOrder, 'list'>;
}

/** Reads conversations. `moves.service.ts` changes them. */
export function conversationService({ conversations, exported, order }: Deps) {
  const cursorOf = (tenant: Tenant, { converted, status, since, importId, ...person }: ConversationFilter) =>
    cursorCodec(
      [
        ...['conversations', tenant.customerId, converted, status, since?.getTime()],
        // Only if given: without it, cursors stay compatible with earlier builds.
        ...(importId === undefined ? [] : [importId]),
        ...(Object.keys(person).length === 0 ? [] : [person]),
      ],
      isOrder,
    );

  const readBefore = (
    tenant: Tenant,
    filter: ConversationFilter,
    { before, limit }: Range,
  ): Promise<ConversationDoc[]> =>
    order.list(tenant, { before, positionOf: ({ at, id }) => orderOf(at, id) }, (bound) =>
      conversations.list(tenant, filter, { before: bound, limit }),
    );

  /** As `readBefore`, with the words of the filter, within `MAX_SEARCHED`. */
  async function listBefore(
    tenant: Tenant,
    { text, ...filter }: ConversationFilter,
    { before, limit }: Range,
  ): Promise<ConversationDoc[]> {
    if (text === undefined) return readBefore(tenant, filter, { before, limit });
    const words = wordsOf(text);
    const found: ConversationDoc[] = [];
    let last = before;
    let messages = 0;
    let textBytes = 0;
    for (let searched = 0; searched < MAX_SEARCHED.conversations; searched += SEARCH_WINDOW) {
      const rows = await readBefore(tenant, filter, { before: last, limit: SEARCH_WINDOW });
      for (const group of readGroups(rows)) {
        const ids = group.map(({ _id }) => _id);
        const matching = await conversations.withWords(tenant, ids, words);
        found.push(...group.filter(({ _id }) => matching.has(_id.toHexString())));
        for (const conversation of group) {
          messages += conversation.messageCount;
          textBytes += conversation.textBytes;
        }
        const isExhausted = messages >= MAX_SEARCHED.messages || textBytes >= MAX_SEARCHED.textBytes;
        if (isExhausted || found.length >= limit) return found.slice(0, limit);
      }
      if (rows.length < SEARCH_WINDOW) break;
      last = rows.at(-1)?.order ?? null;
    }
    return found;
  }

  return {
    /** Returns conversations, the latest start first. */
    list: (tenant: Tenant, filter: ConversationFilter, page: PageRequest): Promise<Page<Conversation>> =>
      readPage(page, {
        cursor: cursorOf(tenant, filter),
        read: (before, limit) => listBefore(tenant, filter, { before, limit }),
        positionOf: ({ order }) => order,
        toNode: toConversation,
      }),

    /** As `list`, after the conversation with an id. @throws AppError `NOT_FOUND` */
    async listAfterId(
      tenant: Tenant,
      filter: ConversationFilter,
      { limit, afterId }: IdPageRequest,
    ): Promise<IdPage<Conversation>> {
      const before = afterId === null ? null : (await conversations.getView(tenant, afterId)).order;
      const rows = await listBefore(tenant, filter, { before, limit: limit + 1 });
      return toIdPage(rows, limit, toConversation);
    },

    /** Returns null when the tenant has no such conversation. */
    async find(tenant: Tenant, id: string): Promise<Conversation | null> {
      const found = await conversations.findView(tenant, id);
      return found && toConversation(found);
    },

    /** Reads conversations by id, in one query; omits those that the tenant does not have. */
    async findMany(tenant: Tenant, ids: readonly string[]): Promise<Map<string, Conversation>> {
      const rows = await conversations.findMany(tenant, objectIdsOf(ids));
      return new Map(rows.map(toConversation).map((conversation) => [conversation.id, conversation]));
    },

    /** @throws AppError `NOT_FOUND` when the tenant has no such conversation */
    get: async (tenant: Tenant, id: string): Promise<Conversation> =>
      toConversation(await conversations.getView(tenant, id)),

    /** Returns messages in the order of the transcript. */
    transcript: (tenant: Tenant, id: string, page: PageRequest): Promise<Page<Message>> =>
      readPage(page, {
        cursor: cursorCodec(['messages', tenant.customerId, id], isInteger),
        read: (afterSeq, limit) => conversations.messages(tenant, id, { afterSeq, limit }),
        positionOf: ({ seq }) => seq,
        toNode: toMessage,
      }),

    /** All conversations of a tenant in the format of an import, by their start. */
    exportLines: exported.lines,

    /** Returns all messages, in the order of the transcript; none if the tenant has no such conversation. */
    wholeTranscript: async (tenant: Tenant, id: string): Promise<Message[]> =>
      (await conversations.messages(tenant, id, { afterSeq: null, limit: MAX_MESSAGES })).map(toMessage),

    /** Returns the oldest `MAX_MILESTONES`, oldest first; none if the tenant has no such conversation. */
    conversions: async (tenant: Tenant, id: string): Promise<Conversion[]> =>
      (await conversations.milestones(tenant, id, { kind: 'conversion', limit: MAX_MILESTONES })).map(
        toMilestone,
      ),

    /** As `conversions`. */
    resolutions: async (tenant: Tenant, id: string): Promise<Resolution[]> =>
      (await conversations.milestones(tenant, id, { kind: 'resolution', limit: MAX_MILESTONES })).map(
        toMilestone,
      ),

    /** As `conversions`. */
    handoffs: async (tenant: Tenant, id: string): Promise<Handoff[]> =>
      (await conversations.milestones(tenant, id, { kind: 'handoff', limit: MAX_MILESTONES })).map(
        toMilestone,
      ),

    /** Counts the conversations started at or after `since`, per status. */
    activity: (tenant: Tenant, since: Date): Promise<ConversationCount[]> =>
      Promise.all(
        CONVERSATION_STATUSES.map(async (status) => ({
          status,
          count: await conversations.countByStatus(tenant, status, since),
        })),
      ),
  };
}

export type ConversationService = ReturnType<typeof conversationService>;
