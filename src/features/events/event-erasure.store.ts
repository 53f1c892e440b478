import type { Model, mongo } from 'mongoose';
import { objectIdsOf } from '../../platform/mongo/object-id.ts';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import { countedAs, type ErasureStep, NOTHING_FOUND, type PersonalData } from '../privacy/erasure-step.ts';
import { anyOf, mentionsOf, redactJson } from '../privacy/mentions.ts';
import type { Person } from '../privacy/person.ts';
import type { PreviewEventDoc } from './events.model.ts';

const WINDOW = 2_000;

/** Filter: events of the person; null if nothing identifies them. */
export const ownEvents = ({ visitorIds }: Person) =>
  visitorIds.length === 0 ? null : { visitorId: { $in: visitorIds } };

/** What custom events store about people: the person's events are removed, mentions in others are replaced. */
export function customEventErasure({ PreviewEvent }: { PreviewEvent: Model<PreviewEventDoc> }): PersonalData {
  const collection = rawCollection(PreviewEvent) as unknown as mongo.Collection;

  const own: ErasureStep = {
    name: 'previewEvents',
    collections: ['previewEvents'],
    async find({ tenant: { customerId }, person }, after) {
      const match = ownEvents(person);
      if (!match) return NOTHING_FOUND;
      const found = await scanIds(collection, {
        of: { customerId },
        by: '_id',
        hint: { customerId: 1, _id: 1 },
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

  const mentions: ErasureStep = {
    name: 'previewEventTexts',
    collections: ['previewEvents'],
    findsMentions: true,
    async find({ tenant: { customerId }, person }, after) {
      const match = anyOf([
        mentionsOf(person, { isJson: true }).filter('properties'),
        mentionsOf(person).filter('goal'),
      ]);
      if (!match) return NOTHING_FOUND;
      const found = await scanIds(collection, {
        of: { customerId },
        by: '_id',
        hint: { customerId: 1, _id: 1 },
        after,
        size: WINDOW,
        match,
      });
      return countedAs('redacted_texts', found);
    },
    async erase({ tenant: { customerId }, person }, ids) {
      const json = mentionsOf(person, { isJson: true });
      const text = mentionsOf(person);
      const found = await PreviewEvent.find({ customerId, _id: { $in: objectIdsOf(ids) } }).lean<
        PreviewEventDoc[]
      >();
      if (found.length === 0) return;
      await collection.bulkWrite(
        found.map(({ _id, properties, goal }) => ({
          updateOne: {
            filter: { _id, customerId, properties, goal },
            update: {
              $set: {
                properties: properties && redactJson(properties, json),
                goal: goal && text.redact(goal),
              },
            },
          },
        })),
        { ordered: false },
      );
    },
  };

  return { steps: [own, mentions] };
}
