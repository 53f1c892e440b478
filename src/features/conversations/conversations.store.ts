import { type Model, type mongo, Types } from 'mongoose';
import { AppError } from '../../errors.ts';
import { isObjectIdText } from '../../platform/cursor.ts';
import { coalesced } from '../../platform/mongo/coalesced.ts';
import { timeOrder } from '../../platform/mongo/order.ts';
import { rawCollection } from '../../platform/mongo/raw.ts';
import { change, insertion, type Write } from '../../platform/mongo/write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationDoc, MessageDoc, RecordDoc } from './conversations.model.ts';
import type { ConversationStatus } from './conversations.types.ts';

export interface ConversationFilter {
  converted?: boolean;
  status?: ConversationStatus;
  /** Started at or after. */
  since?: Date;
}

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  ConversationRecord: Model<RecordDoc>;
}

/** All that is asked of a visitor's newest conversation. */
type Newest = Pick<ConversationDoc, '_id'>;

interface VisitorKey {
  customerId: number;
  visitorId: string;
}

export function conversationStore({ Conversation, Message, ConversationRecord }: Models) {
  const raw = rawCollection(Conversation);

  /** One query for each tenant; each skips from visitor to visitor in the index, however much they have said. */
  const newest = coalesced<VisitorKey, Newest | null>(async (keys) => {
    const visitors = Map.groupBy(keys, ({ customerId }) => customerId);
    const found = await Promise.all(
      [...visitors].map(async ([customerId, ofOne]) => {
        const rows = await raw
          .aggregate<{ _id: string; id: Types.ObjectId }>([
            {
              $match: {
                customerId,
                visitorId: { $in: [...new Set(ofOne.map(({ visitorId }) => visitorId))] },
              },
            },
            { $sort: { customerId: 1, visitorId: 1, order: -1 } },
            { $group: { _id: '$visitorId', id: { $first: '$_id' } } },
          ])
          .toArray();
        return [customerId, new Map(rows.map(({ _id, id }) => [_id, id]))] as const;
      }),
    );
    const byTenant = new Map(found);
    return keys.map(({ customerId, visitorId }) => {
      const _id = byTenant.get(customerId)?.get(visitorId);
      return _id ? { _id } : null;
    });
  });

  const ofTenant = (tenant: Tenant, id: Types.ObjectId) => ({ _id: id, customerId: tenant.customerId });

  /** Null when the tenant has none of that id, or nothing can have it. */
  const find = async (tenant: Tenant, id: string): Promise<ConversationDoc | null> =>
    isObjectIdText(id)
      ? Conversation.findOne(ofTenant(tenant, new Types.ObjectId(id))).lean<ConversationDoc>()
      : null;

  return {
    find,

    /** @throws AppError `NOT_FOUND` when the tenant has none of that id */
    async get(tenant: Tenant, id: string): Promise<ConversationDoc> {
      const found = await find(tenant, id);
      if (!found) throw new AppError('NOT_FOUND', 'There is no such conversation.');
      return found;
    },

    newestOfVisitor: (tenant: Tenant, visitorId: string) =>
      newest({ customerId: tenant.customerId, visitorId }),

    /** @param before order of the row before the first one wanted */
    list: (
      tenant: Tenant,
      { converted, status, since }: ConversationFilter,
      before: string | null,
      limit: number,
    ) =>
      Conversation.find({
        customerId: tenant.customerId,
        ...(status === undefined ? {} : { status }),
        ...(converted === undefined ? {} : { converted }),
        ...(since || before !== null
          ? { order: { ...(since && { $gte: timeOrder(since) }), ...(before !== null && { $lt: before }) } }
          : {}),
      })
        .sort({ order: -1 })
        .limit(limit)
        .lean<ConversationDoc[]>(),

    countByStatus: (tenant: Tenant, status: ConversationStatus, since: Date) =>
      Conversation.countDocuments({
        customerId: tenant.customerId,
        status,
        order: { $gte: timeOrder(since) },
      }),

    messages: (tenant: Tenant, id: string, afterSeq: number | null, limit: number) =>
      Message.find({
        conversationId: new Types.ObjectId(id),
        customerId: tenant.customerId,
        ...(afterSeq === null ? {} : { seq: { $gt: afterSeq } }),
      })
        .sort({ seq: 1 })
        .limit(limit)
        .lean<MessageDoc[]>(),

    /** In the order in which they were recorded. */
    records: <K extends RecordDoc['kind']>(tenant: Tenant, id: string, kind: K, limit: number) =>
      ConversationRecord.find({ conversationId: new Types.ObjectId(id), kind, customerId: tenant.customerId })
        .sort({ _id: 1 })
        .limit(limit)
        .lean<Extract<RecordDoc, { kind: K }>[]>(),

    insertion: (conversation: ConversationDoc): Write => insertion(Conversation, conversation),

    /** Takes place only while the conversation is as `expected` says: the database decides between concurrent moves. */
    update: (tenant: Tenant, id: Types.ObjectId, expected: mongo.Document, update: mongo.Document): Write =>
      change(Conversation, { ...ofTenant(tenant, id), ...expected }, update),

    messageInsertions: (messages: MessageDoc[]): Write[] =>
      messages.map((message) => insertion(Message, message)),

    recordInsertion: (record: RecordDoc): Write => insertion(ConversationRecord, record),
  };
}

export type ConversationStore = ReturnType<typeof conversationStore>;
