import { type Model, Types } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import {
  countedAs,
  type ErasureStep,
  NOTHING_FOUND,
  type PersonalData,
  type RemoveTraces,
} from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import { mentionStep } from '../privacy/mention-step.ts';
import { anyOf, filtersByEmail, isInJson, mentionsOf, redactJson } from '../privacy/mentions.ts';
import type { Person } from '../privacy/person.ts';
import { personalCollection } from '../privacy/personal-scan.ts';
import { PREVIEW_EVENT_FIELDS, type PreviewEventDoc } from './preview-event.model.ts';

const WINDOW = 2_000;

/** Filter: events of the person; null if nothing identifies them. */
export const ownEvents = ({ visitorIds, emails }: Person) =>
  anyOf([
    visitorIds.length === 0 ? null : { visitorId: { $in: visitorIds } },
    ...filtersByEmail('visitorId', emails),
  ]);

/** What custom events store about people: the person's events are removed, mentions in others are replaced. */
export function previewEventErasure(
  { PreviewEvent }: { PreviewEvent: Model<PreviewEventDoc> },
  encryption: FieldEncryption,
) {
  const events = personalCollection(PreviewEvent, PREVIEW_EVENT_FIELDS, encryption);

  const own: ErasureStep = {
    name: 'previewEvents',
    collections: ['previewEvents'],
    idsOf: 'previewEvents',
    async find({ tenant: { customerId }, person }, after) {
      const match = ownEvents(person);
      if (!match) return NOTHING_FOUND;
      const found = await scanIds(events.collection, {
        ...PREVIEW_EVENT_FIELDS.scan,
        of: { customerId },
        after,
        size: WINDOW,
        match,
      });
      return countedAs('preview_events', found);
    },
    async erase({ tenant: { customerId } }, ids) {
      await PreviewEvent.deleteMany({ customerId, _id: { $in: objectIdsOf(ids) } });
    },
  };

  const mentions = mentionStep<PreviewEventDoc>({
    name: 'previewEventTexts',
    of: events,
    size: WINDOW,
    searchFor(person) {
      const json = mentionsOf(person, { isJson: true });
      const text = mentionsOf(person);
      return {
        match: anyOf([json.filter('properties'), text.filter('goal')]),
        matches: ({ properties, goal }) => isInJson(properties ?? '', json) || text.isIn(goal ?? ''),
        redacted: ({ field, value }) =>
          field === 'properties' ? redactJson(String(value), json) : text.redact(String(value)),
      };
    },
  });

  /** Removes the events of a conversation. */
  const ofConversation: RemoveTraces = async ({ customerId }, id) => {
    const { deletedCount } = await PreviewEvent.deleteMany({
      customerId,
      conversationId: new Types.ObjectId(id),
    });
    return { preview_events: deletedCount };
  };

  return { personalData: { steps: [own, mentions] } satisfies PersonalData, ofConversation };
}
