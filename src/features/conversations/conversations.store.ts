import { type Model, Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { change, insertion, type Write } from '../../platform/commit/unit-of-work.ts';
import { escapePattern } from '../../platform/escape-pattern.ts';
import { coalesced } from '../../platform/mongo/coalesced.ts';
import { BY_ID, byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import { idOfOrder, mergedByOrder, timeOrder } from '../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { MAX_COUNT } from '../../shared/max-count.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { encryptedFilters } from '../privacy/personal-fields.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import {
  type ConversationFilter,
  exactly,
  hasPersonCondition,
  IGNORING_CASE,
  type PersonConditions,
  personConditions,
} from './conversation-filter.ts';
import {
  BY_ORDER,
  CONVERSATION_FIELDS,
  type ConversationDoc,
  IMPORT_ID_INDEX,
  MESSAGE_FIELDS,
  type MessageDoc,
  MILESTONE_FIELDS,
  type MilestoneDoc,
} from './conversations.model.ts';
import type { ConversationStatus } from './conversations.types.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationMilestone: Model<MilestoneDoc>;
}

type NewestConversation = Pick<ConversationDoc, '_id' | 'lastEventAt'>;

interface VisitorKey {
  customerId: number;
  visitorId: string;
}

interface OrderRange {
  /** Order of the last row of the previous page; null for the first page. */
  before: string | null;
  limit: number;
}

/** A conversation to change; all of it for a change with conditions, or of what identifies the visitor. */
type ChangedConversation = Pick<ConversationDoc, '_id'> & Partial<ConversationDoc>;

interface ConversationUpdate {
  /** Fields that must still have the value that was read; none by default. */
  expected?: readonly (keyof ConversationDoc)[];
  set: Partial<ConversationDoc>;
  /** Time of the event that is published with the update; null if there is none. */
  eventAt?: Date | null;
}

const notFound = () => new AppError('NOT_FOUND', 'The conversation does not exist.');

/** Reads and writes conversations, their messages and their milestones. */
export function conversationStore(
  { Conversation, Message, ConversationMilestone }: Models,
  encryption: FieldEncryption,
) {
  const raw = rawReads(Conversation);

  /**
   * One query per tenant. It skips from visitor to visitor in the index, and reads one document for each, however many
   * conversations each has.
   */
  const newest = coalesced<VisitorKey, NewestConversation | null>(async (keys) => {
    const visitors = Map.groupBy(keys, ({ customerId }) => customerId);
    const found = await Promise.all(
      [...visitors].map(async ([customerId, keysOfTenant]) => {
        const rows = await raw
          .aggregate<{ _id: string; order: string; lastEventAt: Date | null }>([
            {
              $match: {
                customerId,
                visitorId: { $in: [...new Set(keysOfTenant.map(({ visitorId }) => visitorId))] },
              },
            },
            { $sort: { customerId: 1, visitorId: 1, order: -1 } },
            {
              $group: {
                _id: '$visitorId',
                order: { $first: '$order' },
                lastEventAt: { $first: '$lastEventAt' },
              },
            },
          ])
          .toArray();
        return [
          customerId,
          new Map(
            rows.map(({ _id, order, lastEventAt }) => [
              _id,
              { _id: idOfOrder(order), ...(lastEventAt && { lastEventAt }) },
            ]),
          ),
        ] as const;
      }),
    );
    const byTenant = new Map(found);
    return keys.map(({ customerId, visitorId }) => byTenant.get(customerId)?.get(visitorId) ?? null);
  });

  const ofTenant = (tenant: Tenant, id: Types.ObjectId) => ({ _id: id, customerId: tenant.customerId });

  /** Decrypted conversations as they are stored, for the conditions of their changes. */
  const storedForms = new WeakMap<object, ConversationDoc>();

  async function decrypt(stored: ConversationDoc[]): Promise<ConversationDoc[]> {
    const conversations = await encryption.decrypt(CONVERSATION_FIELDS, stored);
    for (const [index, conversation] of conversations.entries())
      if (conversation !== stored[index]) storedForms.set(conversation, stored[index] as ConversationDoc);
    return conversations;
  }

  const decryptForView = (stored: ConversationDoc[]) =>
    encryption.decryptForView(CONVERSATION_FIELDS, stored);

  /** Returns null if the tenant has no such conversation, or if `id` is not an object id. */
  const findStored = async (tenant: Tenant, id: string): Promise<ConversationDoc | null> =>
    isObjectIdText(id)
      ? Conversation.findOne(ofTenant(tenant, new Types.ObjectId(id))).lean<ConversationDoc>()
      : null;

  /** Returns conversations that fulfil the conditions of a filter and these on the person, the latest start first. */
  function listOf(
    tenant: Tenant,
    { converted, status, since, until, importId, visitorId }: ConversationFilter,
    person: PersonConditions,
    { before, limit }: OrderRange,
  ) {
    const [field] = Object.keys(person);
    const equal = field === undefined ? (value: string) => value : exactly;
    const ends = [...(before === null ? [] : [before]), ...(until ? [timeOrder(until)] : [])];
    const order = {
      ...(since && { $gte: timeOrder(since) }),
      ...(ends.length > 0 && { $lt: ends.toSorted()[0] }),
    };
    return Conversation.find({
      customerId: tenant.customerId,
      ...person,
      ...(visitorId === undefined ? {} : { visitorId: equal(visitorId) }),
      ...(status === undefined ? {} : { status }),
      ...(converted === undefined ? {} : { converted }),
      ...(importId === undefined ? {} : { importId: equal(importId) }),
      ...(Object.keys(order).length > 0 && { order }),
    })
      .sort({ order: -1 })
      .setOptions({
        ...(importId !== undefined && field === undefined && { hint: IMPORT_ID_INDEX }),
        // The database would otherwise also try to read all conversations in their order.
        ...(field !== undefined && {
          collation: IGNORING_CASE,
          hint: { customerId: 1, [field]: 1, order: -1 },
        }),
      })
      .limit(limit)
      .lean<ConversationDoc[]>();
  }

  /** Returns a conversation for clients; null if the tenant has no such one. */
  const findView = async (tenant: Tenant, id: string): Promise<ConversationDoc | null> =>
    encryption.decryptOneForView(CONVERSATION_FIELDS, await findStored(tenant, id));

  return {
    findView,

    /** As `findView`. @throws AppError `NOT_FOUND` */
    async getView(tenant: Tenant, id: string): Promise<ConversationDoc> {
      const found = await findView(tenant, id);
      if (!found) throw notFound();
      return found;
    },

    /** Returns a conversation of a change stream as the methods that read one return it; null if it is unreadable. */
    decrypt: async (stored: ConversationDoc): Promise<ConversationDoc | null> =>
      (await encryption.decryptReadable(CONVERSATION_FIELDS, [stored]))[0] ?? null,

    /**
     * Returns a conversation to change.
     * @throws AppError `NOT_FOUND` when the tenant has no such conversation; `INTERNAL` if it cannot be decrypted
     */
    async get(tenant: Tenant, id: string): Promise<ConversationDoc> {
      const found = await findStored(tenant, id);
      if (!found) throw notFound();
      return (await decrypt([found]))[0] ?? found;
    },

    /** Returns the ids of those of the conversations, of any tenants, that are stored. */
    async stored(conversations: readonly DocumentRef[]): Promise<Set<string>> {
      const found = await Conversation.find(byIds(conversations), { _id: 1 })
        .hint(BY_ID)
        .lean<Pick<ConversationDoc, '_id'>[]>();
      return new Set(found.map(({ _id }) => _id.toHexString()));
    },

    findMany: async ({ customerId }: Tenant, ids: readonly Types.ObjectId[]) =>
      decryptForView(
        await Conversation.find({ _id: { $in: ids }, customerId })
          .batchSize(ids.length + 1)
          .lean<ConversationDoc[]>(),
      ),

    newestOfVisitor: (tenant: Tenant, visitorId: string) =>
      newest({ customerId: tenant.customerId, visitorId }),

    /** Returns conversations, the latest start first. */
    async list(tenant: Tenant, filter: ConversationFilter, range: OrderRange): Promise<ConversationDoc[]> {
      const hash = hasPersonCondition(filter) ? await encryption.hashing(tenant) : null;
      const lists = await Promise.all(
        personConditions(filter, hash).map((person) => listOf(tenant, filter, person, range)),
      );
      return decryptForView(mergedByOrder(lists, range.limit));
    },

    /** Returns the ids of those among conversations that have a message with all words, in upper or lower case. */
    async withWords(
      tenant: Tenant,
      ids: readonly Types.ObjectId[],
      words: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const { customerId } = tenant;
      const matching = {
        $and: words.map((word) => ({ text: { $regex: escapePattern(word), $options: 'i' } })),
      };
      const isEncrypted = { $eq: [{ $type: '$text' }, 'binData'] };
      const rows = await rawReads(Message)
        .aggregate<Pick<MessageDoc, '_id' | 'customerId' | 'conversationId' | 'text'>>([
          {
            $match: {
              ...{ customerId, conversationId: { $in: ids } },
              $or: [matching, ...encryptedFilters(MESSAGE_FIELDS)],
            },
          },
          {
            // A plain message matches: one row for all of its conversation, without a text.
            $group: {
              _id: { $cond: [isEncrypted, '$_id', '$conversationId'] },
              customerId: { $first: '$customerId' },
              conversationId: { $first: '$conversationId' },
              text: { $first: { $cond: [isEncrypted, '$text', null] } },
            },
          },
        ])
        .toArray();
      const patterns = words.map((word) => new RegExp(escapePattern(word), 'iu'));
      const isMatch = ({ text }: Pick<MessageDoc, 'text'>): boolean =>
        text === null || patterns.every((pattern) => pattern.test(text));
      const messages = await encryption.decryptReadable(MESSAGE_FIELDS, rows);
      return new Set(messages.filter(isMatch).map(({ conversationId }) => conversationId.toHexString()));
    },

    /** Counts up to `limit`. */
    count: ({ customerId }: TenantRef, limit: number) =>
      Conversation.countDocuments({ customerId }, { limit, hint: BY_ORDER }),

    /** Counts up to `MAX_COUNT`. */
    countByStatus: (tenant: Tenant, status: ConversationStatus, since: Date) =>
      Conversation.countDocuments(
        { customerId: tenant.customerId, status, order: { $gte: timeOrder(since) } },
        { limit: MAX_COUNT },
      ),

    /** Returns messages after position `afterSeq`, in the order of the transcript. */
    messages: async (
      tenant: Tenant,
      id: string,
      { afterSeq, limit }: { afterSeq: number | null; limit: number },
    ) =>
      encryption.decryptForView(
        MESSAGE_FIELDS,
        await Message.find({
          conversationId: new Types.ObjectId(id),
          customerId: tenant.customerId,
          ...(afterSeq === null ? {} : { seq: { $gt: afterSeq } }),
        })
          .sort({ seq: 1 })
          .limit(limit)
          .lean<MessageDoc[]>(),
      ),

    /** Returns the conversation's milestones of a type that can be decrypted, oldest first. */
    milestones: async <K extends MilestoneDoc['kind']>(
      tenant: Tenant,
      id: string,
      { kind, limit }: { kind: K; limit: number },
    ) =>
      encryption.decryptReadable(
        MILESTONE_FIELDS,
        await ConversationMilestone.find({
          conversationId: new Types.ObjectId(id),
          kind,
          customerId: tenant.customerId,
        })
          .sort({ _id: 1 })
          .limit(limit)
          .lean<Extract<MilestoneDoc, { kind: K }>[]>(),
      ),

    insertions: async (conversations: ConversationDoc[]): Promise<Write[]> =>
      (await encryption.encrypt(CONVERSATION_FIELDS, conversations)).map((conversation) =>
        insertion(Conversation, conversation),
      ),

    /**
     * Matches only while the expected fields are unchanged, so that the database decides between concurrent moves. Where
     * hashes find a conversation, identity and resolution are written together: both are hashed.
     */
    async update(
      tenant: Tenant,
      conversation: ChangedConversation,
      { expected = [], set, eventAt = null }: ConversationUpdate,
    ): Promise<Write> {
      const stored = storedForms.get(conversation);
      const isIdentified = 'identity' in set || 'resolution' in set;
      const hashed = isIdentified && (encryption.isOn || stored) ? (['identity', 'resolution'] as const) : [];
      const kept = hashed.map((field) => [field, conversation[field] ?? null]);
      const [changed] = await encryption.encrypt(CONVERSATION_FIELDS, [
        { ...Object.fromEntries(kept), ...set, ...ofTenant(tenant, conversation._id) },
      ]);
      const { _id, customerId: _, ...$set } = changed as ConversationDoc;
      const isUnhashed = hashed.length > 0 && $set.lookups === undefined && stored?.lookups !== undefined;
      return change(
        Conversation,
        {
          ...ofTenant(tenant, _id),
          ...Object.fromEntries(
            [...expected, ...hashed].map((field) => [field, (stored ?? conversation)[field]]),
          ),
        },
        {
          $set,
          ...(isUnhashed && { $unset: { lookups: 1 } }),
          ...(eventAt && { $max: { lastEventAt: eventAt } }),
        },
      );
    },

    /** Write without an effect: once it is committed, no failover undoes what a repetition has found. */
    confirmation: (tenant: Tenant, conversation: ConversationDoc): Write => {
      const stored = storedForms.get(conversation) ?? conversation;
      const { status, converted, visitorId, identity, outcome, resolution } = stored;
      return change(
        Conversation,
        {
          ...ofTenant(tenant, conversation._id),
          status,
          converted,
          visitorId,
          identity,
          outcome,
          resolution,
        },
        { $set: { status } },
      );
    },

    messageInsertions: async (messages: MessageDoc[]): Promise<Write[]> =>
      (await encryption.encrypt(MESSAGE_FIELDS, messages)).map((message) => insertion(Message, message)),

    milestoneInsertions: async (milestones: MilestoneDoc[]): Promise<Write[]> =>
      (await encryption.encrypt(MILESTONE_FIELDS, milestones)).map((milestone) =>
        insertion(ConversationMilestone, milestone),
      ),
  };
}

export type ConversationStore = ReturnType<typeof conversationStore>;
