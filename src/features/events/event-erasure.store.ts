import { type Model, type mongo, Types } from 'mongoose';
import { rawCollection } from '../../platform/mongo/raw-collection.ts';
import { scanWindow } from '../../platform/mongo/scan-window.ts';
import type { ErasureStep, PersonalData } from '../privacy/erasure-step.ts';
import { anyOf, mentionsOf, redactJson } from '../privacy/mentions.ts';
import type { PreviewEventDoc } from './events.model.ts';

const WINDOW = 2_000;

const objectIds = (ids: readonly string[]) => ids.map((id) => new Types.ObjectId(id));

/** What custom events store about people: the person's events are removed, mentions in others are replaced. */
export function customEventErasure({ PreviewEvent }: { PreviewEvent: Model<PreviewEventDoc> }): PersonalData {
  const collection = rawCollection(PreviewEvent) as unknown as mongo.Collection;

  const own: ErasureStep = {
    name: 'previewEvents',
    collections: ['previewEvents'],
    async find({ tenant: { customerId }, person }, after) {
      if (person.visitorIds.length === 0) return { ids: [], counts: {}, next: null };
      const { found, next } = await scanWindow<Pick<PreviewEventDoc, '_id'>>(collection, {
        of: { customerId },
        by: '_id',
        hint: { customerId: 1, _id: 1 },
        after,
        size: WINDOW,
        match: { visitorId: { $in: person.visitorIds } },
        projection: { _id: 1 },
      });
      const ids = found.map(({ _id }) => _id.toHexString());
      return { ids, counts: { preview_events: ids.length }, next };
    },
    async erase({ tenant: { customerId } }, ids) {
      await PreviewEvent.deleteMany({ customerId, _id: { $in: objectIds(ids) } });
    },
  };

  const mentions: ErasureStep = {
    name: 'previewEventTexts',
    collections: ['previewEvents'],
    async find({ tenant: { customerId }, person }, after) {
      const match = anyOf([
        mentionsOf(person, { isJson: true }).filter('properties'),
        mentionsOf(person).filter('goal'),
      ]);
      if (!match) return { ids: [], counts: {}, next: null };
      const { found, next } = await scanWindow<Pick<PreviewEventDoc, '_id'>>(collection, {
        of: { customerId },
        by: '_id',
        hint: { customerId: 1, _id: 1 },
        after,
        size: WINDOW,
        match,
        projection: { _id: 1 },
      });
      const ids = found.map(({ _id }) => _id.toHexString());
      return { ids, counts: { redacted_texts: ids.length }, next };
    },
    async erase({ tenant: { customerId }, person }, ids) {
      const json = mentionsOf(person, { isJson: true });
      const text = mentionsOf(person);
      const found = await PreviewEvent.find({ customerId, _id: { $in: objectIds(ids) } }).lean<
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
