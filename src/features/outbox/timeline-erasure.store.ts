import type { Model } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { READ_LIMIT } from '../../platform/mongo/read-limits.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import {
  type ConversationData,
  countedAs,
  type ErasureStep,
  NOTHING_FOUND,
  type PersonalData,
} from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { mentionStep } from '../privacy/mention-step.ts';
import { anyOf, isInJson, mentionsOf, redactJson } from '../privacy/mentions.ts';
import { personalCollection, rewritePersonal, scanPersonal } from '../privacy/personal-scan.ts';
import { namesPerson, payloadsNaming, suppressedPayload } from './event-people.ts';
import {
  ARCHIVE_BY_CONVERSATION,
  ARCHIVED_EVENT_FIELDS,
  type ArchivedEventDoc,
} from './timeline-archive.model.ts';

const WINDOW = 1_000;

/** What the timelines of conversations store about people, in events that retention has removed. */
export function timelineErasure(
  { ArchivedEvent }: { ArchivedEvent: Model<ArchivedEventDoc> },
  encryption: FieldEncryption,
) {
  const archive = personalCollection(ArchivedEvent, ARCHIVED_EVENT_FIELDS, encryption);

  const ofConversations = ({ customerId }: TenantRef, conversationIds: readonly string[]) => ({
    customerId,
    conversationId: { $in: [...conversationIds] },
  });

  const own: ErasureStep = {
    name: 'archivedEvents',
    collections: ['conversationTimelines'],
    idsOf: 'conversationTimelines',
    async find({ tenant, person, isDryRun }, after) {
      const match = anyOf(payloadsNaming(person));
      // A dry run counts the events of conversations with those.
      if (!match || isDryRun) return NOTHING_FOUND;
      const matches = namesPerson(person);
      const found = await scanPersonal<ArchivedEventDoc>(archive, {
        ...{ tenant, after, size: WINDOW, match, matches },
        projection: { customType: 1 },
      });
      return countedAs('events', found);
    },
    async erase({ tenant: { customerId } }, ids) {
      await ArchivedEvent.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } }).hint({ _id: 1 });
    },
  };

  const texts = mentionStep<ArchivedEventDoc>({
    name: 'archivedEventTexts',
    of: archive,
    size: WINDOW,
    searchFor(person) {
      const mentions = mentionsOf(person, { isJson: true });
      return {
        match: mentions.filter('payload'),
        matches: ({ payload }) => isInJson(payload, mentions),
        redacted: ({ value }) => redactJson(String(value), mentions),
      };
    },
  });

  return {
    /** What an erasure removes apart from the timelines of removed conversations. */
    personalData: { steps: [own, texts] } satisfies PersonalData,

    /** The timelines of conversations are removed with them. */
    ofConversations: {
      collections: ['conversationTimelines'],
      count: async (tenant, conversationIds) => ({
        events: await archive.collection.countDocuments(ofConversations(tenant, conversationIds), {
          hint: ARCHIVE_BY_CONVERSATION,
          ...READ_LIMIT,
        }),
      }),
      async erase(tenant, conversationIds) {
        await archive.collection.deleteMany(ofConversations(tenant, conversationIds), {
          hint: ARCHIVE_BY_CONVERSATION,
        });
      },
      async suppress(tenant, conversationIds) {
        const found = await ArchivedEvent.find(ofConversations(tenant, conversationIds)).lean<
          ArchivedEventDoc[]
        >();
        await rewritePersonal(archive, found, ({ value }) => suppressedPayload(String(value)));
      },
    } satisfies ConversationData,
  };
}
