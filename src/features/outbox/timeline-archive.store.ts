import { type Model, mongo, Types } from 'mongoose';
import { byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import { scanWindow } from '../../platform/mongo/scan-window.ts';
import type { ConversationData, ErasureStep, TenantRef } from '../privacy/erasure-step.ts';
import { anyOf, mentionsOf } from '../privacy/mentions.ts';
import { payloadsNaming } from './outbox-erasure.store.ts';
import type { EventDoc } from './outbox-event.model.ts';
import { ARCHIVE_BY_CONVERSATION, type ArchivedEventDoc } from './timeline-archive.model.ts';

interface Models {
  Event: Model<EventDoc>;
  ArchivedEvent: Model<ArchivedEventDoc>;
}

/** Returns which of the conversations are stored, of several tenants. */
type StoredConversations = (conversations: readonly DocumentRef[]) => Promise<ReadonlySet<string>>;

const WINDOW = 1_000;
const DUPLICATE_KEY = 11_000;

const objectIds = (ids: readonly string[]) => ids.map((id) => new Types.ObjectId(id));

/** Events of conversations whose deliveries retention has removed, for the timelines of the conversations. */
export function timelineArchiveStore({ Event, ArchivedEvent }: Models) {
  const archive = rawCollection(ArchivedEvent) as unknown as mongo.Collection;

  const ofConversations = ({ customerId }: TenantRef, conversationIds: readonly string[]) => ({
    customerId,
    conversationId: { $in: [...conversationIds] },
  });

  async function insertMissing(entries: ArchivedEventDoc[]): Promise<void> {
    try {
      await archive.insertMany(entries as unknown as mongo.Document[], { ordered: false });
    } catch (error) {
      // An earlier run that was interrupted has inserted some.
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      if ([error.writeErrors].flat().some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    }
  }

  const scan = ({ customerId }: TenantRef, match: mongo.Document, after: unknown) =>
    scanWindow<Pick<ArchivedEventDoc, '_id'>>(archive, {
      of: { customerId },
      by: 'conversationId',
      hint: ARCHIVE_BY_CONVERSATION,
      after,
      size: WINDOW,
      match,
      projection: { _id: 1 },
    });

  const own: ErasureStep = {
    name: 'archivedEvents',
    collections: ['conversationTimelines'],
    async find({ tenant, person }, after) {
      const match = anyOf(payloadsNaming(person));
      if (!match) return { ids: [], counts: {}, next: null };
      const { found, next } = await scan(tenant, match, after);
      return { ids: found.map(({ _id }) => _id.toHexString()), counts: { events: found.length }, next };
    },
    async erase({ tenant: { customerId } }, ids) {
      await ArchivedEvent.deleteMany({ customerId, _id: { $in: objectIds(ids) } }).hint({ _id: 1 });
    },
  };

  const texts: ErasureStep = {
    name: 'archivedEventTexts',
    collections: ['conversationTimelines'],
    async find({ tenant, person }, after) {
      const match = mentionsOf(person, { isJson: true }).filter('payload');
      if (!match) return { ids: [], counts: {}, next: null };
      const { found, next } = await scan(tenant, match, after);
      return {
        ids: found.map(({ _id }) => _id.toHexString()),
        counts: { redacted_texts: found.length },
        next,
      };
    },
    async erase({ tenant: { customerId }, person }, ids) {
      const { redact } = mentionsOf(person, { isJson: true });
      const found = await ArchivedEvent.find({ customerId, _id: { $in: objectIds(ids) } })
        .hint({ _id: 1 })
        .lean<ArchivedEventDoc[]>();
      if (found.length === 0) return;
      await archive.bulkWrite(
        found.map(({ _id, conversationId, payload }) => ({
          updateOne: {
            filter: { _id: _id as never, customerId, conversationId },
            update: { $set: { payload: redact(payload) } },
          },
        })),
        { ordered: false },
      );
    },
  };

  return {
    /** Copies the events that belong to stored conversations, before they are removed with their deliveries. */
    async keep(events: readonly DocumentRef[], storedConversations: StoredConversations): Promise<void> {
      const found = await Event.find(
        { ...byIds(events), conversationId: { $exists: true } },
        { customerId: 1, event: 1, payload: 1, conversationId: 1, createdAt: 1 },
      )
        .hint({ _id: 1 })
        .lean<ArchivedEventDoc[]>();
      if (found.length === 0) return;
      await insertMissing(found);
      // After the insertion: an erasure removes a conversation first and its timeline afterwards, so that it finds the
      // entries of every conversation that is still stored here.
      const stored = await storedConversations(
        found.map(({ conversationId, customerId }) => ({
          _id: new Types.ObjectId(conversationId),
          customerId,
        })),
      );
      const orphans = found.filter(({ conversationId }) => !stored.has(conversationId));
      if (orphans.length === 0) return;
      await archive.deleteMany({
        ...byIds(orphans),
        conversationId: { $in: orphans.map(({ conversationId }) => conversationId) },
      } as mongo.Filter<mongo.Document>);
    },

    /** Oldest first. */
    ofConversation: (tenant: TenantRef, conversationId: string, limit: number) =>
      ArchivedEvent.find({ customerId: tenant.customerId, conversationId })
        .sort({ _id: 1 })
        .hint(ARCHIVE_BY_CONVERSATION)
        .limit(limit)
        .lean<ArchivedEventDoc[]>(),

    /** What an erasure removes of the archive, apart from the timelines of removed conversations. */
    personalData: { steps: [own, texts] },

    /** The timelines of conversations are removed with them. */
    ofConversations: {
      count: async (tenant, conversationIds) => ({
        events: await archive.countDocuments(ofConversations(tenant, conversationIds), {
          hint: ARCHIVE_BY_CONVERSATION,
          ...READ_LIMIT,
        }),
      }),
      async erase(tenant, conversationIds) {
        await archive.deleteMany(ofConversations(tenant, conversationIds), { hint: ARCHIVE_BY_CONVERSATION });
      },
    } satisfies ConversationData,
  };
}

export type TimelineArchiveStore = ReturnType<typeof timelineArchiveStore>;
