import type { Model } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { rawCollection, untypedCollection } from '../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import { scanWindow } from '../../platform/mongo/scan-window.ts';
import { timeOrder } from '../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { RetentionStep } from '../privacy/retention-step.ts';
import { isTerminal } from './allowed-moves.ts';
import { BY_ORDER, type ConversationDoc, type MessageDoc } from './conversations.model.ts';

interface Models {
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
}

interface Deps {
  models: Models;
  /** Returns which of the conversations have a delivery on its way. */
  busyAmong: (tenant: TenantRef, ids: string[]) => Promise<ReadonlySet<string>>;
  /** Removes everything that belongs to conversations. */
  removeContents: (tenant: TenantRef, ids: readonly string[]) => Promise<void>;
}

const WINDOW = 500;

/** Filter: neither ended nor had an event since `before`. */
const inactiveSince = (before: Date) => ({
  endedAt: { $not: { $gte: before } },
  lastEventAt: { $not: { $gte: before } },
});

const idsOf = (rows: readonly Pick<ConversationDoc, '_id'>[]): string[] =>
  rows.map(({ _id }) => _id.toHexString());
const isOpen = ({ status }: Pick<ConversationDoc, 'status'>): boolean => !isTerminal(status);

/**
 * Retention of conversations. One has expired when its start, its end, its latest event and, while it is open, its latest
 * message are all older than the retention time.
 */
export function conversationRetention({ models, busyAmong, removeContents }: Deps): RetentionStep {
  const conversations = untypedCollection(models.Conversation);
  const messages = rawCollection(models.Message);

  async function withNewMessages({ customerId }: TenantRef, ids: string[], before: Date) {
    if (ids.length === 0) return new Set<string>();
    const found = await messages
      .find(
        { customerId, conversationId: { $in: objectIdsOf(ids) }, sentAt: { $gte: before } },
        {
          projection: { conversationId: 1 },
          hint: { customerId: 1, conversationId: 1, seq: 1 },
          ...READ_LIMIT,
        },
      )
      .toArray();
    return new Set(found.map(({ conversationId }) => conversationId.toHexString()));
  }

  async function removeRest(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    const stored = new Set(
      idsOf(
        await models.Conversation.find(
          { customerId: tenant.customerId, _id: { $in: objectIdsOf(ids) } },
          { _id: 1 },
        ).lean<Pick<ConversationDoc, '_id'>[]>(),
      ),
    );
    await removeContents(
      tenant,
      ids.filter((id) => !stored.has(id)),
    );
  }

  return {
    kind: 'conversations',
    async find(tenant, before, after) {
      const { found, next } = await scanWindow<Pick<ConversationDoc, '_id' | 'status'>>(conversations, {
        of: { customerId: tenant.customerId },
        by: 'order',
        hint: BY_ORDER,
        after,
        below: timeOrder(before),
        size: WINDOW,
        match: inactiveSince(before),
        projection: { status: 1 },
      });
      const [active, busy] = await Promise.all([
        withNewMessages(tenant, idsOf(found.filter(isOpen)), before),
        busyAmong(tenant, idsOf(found)),
      ]);
      return { ids: idsOf(found).filter((id) => !active.has(id) && !busy.has(id)), next };
    },

    /** A conversation with an event or a message since `find` stays: its client got a success. */
    async remove(tenant, ids, before) {
      const { customerId } = tenant;
      const found = await models.Conversation.find(
        { customerId, _id: { $in: objectIdsOf(ids) } },
        { status: 1, messageCount: 1 },
      ).lean<Pick<ConversationDoc, '_id' | 'status' | 'messageCount'>[]>();
      const active = await withNewMessages(tenant, idsOf(found.filter(isOpen)), before);
      const operations = found
        .filter(({ _id }) => !active.has(_id.toHexString()))
        .map(({ _id, messageCount }) => ({
          deleteOne: { filter: { _id, customerId, messageCount, ...inactiveSince(before) } },
        }));
      const removed =
        operations.length > 0 ? await conversations.bulkWrite(operations, { ordered: false }) : null;
      await removeRest(tenant, ids);
      return removed?.deletedCount ?? 0;
    },
    removeRest,
  };
}
