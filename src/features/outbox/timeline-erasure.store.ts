import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import {
  type ConversationData,
  countedAs,
  type ErasureStep,
  NOTHING_FOUND,
  type PersonalData,
  type TenantRef,
} from '../privacy/erasure-step.ts';
import { anyOf, mentionsOf, redactJson } from '../privacy/mentions.ts';
import { payloadsNaming } from './outbox-erasure.store.ts';
import { ARCHIVE_BY_CONVERSATION, type ArchivedEventDoc } from './timeline-archive.model.ts';

const WINDOW = 1_000;

/** What the timelines of conversations store about people, in events that retention has removed. */
export function timelineErasure({ ArchivedEvent }: { ArchivedEvent: Model<ArchivedEventDoc> }) {
  const archive = rawCollection(ArchivedEvent) as unknown as mongo.Collection;

  const ofConversations = ({ customerId }: TenantRef, conversationIds: readonly string[]) => ({
    customerId,
    conversationId: { $in: [...conversationIds] },
  });

  const scan = ({ customerId }: TenantRef, match: mongo.Document, after: unknown) =>
    scanIds(archive, {
      of: { customerId },
      by: 'conversationId',
      hint: ARCHIVE_BY_CONVERSATION,
      after,
      size: WINDOW,
      match,
    });

  const own: ErasureStep = {
    name: 'archivedEvents',
    collections: ['conversationTimelines'],
    async find({ tenant, person, isDryRun }, after) {
      const match = anyOf(payloadsNaming(person));
      // A dry run counts the events of conversations with those.
      if (!match || isDryRun) return NOTHING_FOUND;
      return countedAs('events', await scan(tenant, match, after));
    },
    async erase({ tenant: { customerId } }, ids) {
      await ArchivedEvent.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } }).hint({ _id: 1 });
    },
  };

  const texts: ErasureStep = {
    name: 'archivedEventTexts',
    collections: ['conversationTimelines'],
    findsMentions: true,
    async find({ tenant, person }, after) {
      const match = mentionsOf(person, { isJson: true }).filter('payload');
      if (!match) return NOTHING_FOUND;
      return countedAs('redacted_texts', await scan(tenant, match, after));
    },
    async erase({ tenant: { customerId }, person }, ids) {
      const mentions = mentionsOf(person, { isJson: true });
      const found = await ArchivedEvent.find({ customerId, _id: { $in: objectIdsOf(ids) } })
        .hint({ _id: 1 })
        .lean<ArchivedEventDoc[]>();
      if (found.length === 0) return;
      await archive.bulkWrite(
        found.map(({ _id, conversationId, payload }) => ({
          updateOne: {
            filter: { _id: _id as never, customerId, conversationId, payload },
            update: { $set: { payload: redactJson(payload, mentions) } },
          },
        })),
        { ordered: false },
      );
    },
  };

  return {
    /** What an erasure removes apart from the timelines of removed conversations. */
    data: { steps: [own, texts] } satisfies PersonalData,

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
