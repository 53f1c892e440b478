import { type Model, Types } from 'mongoose';
import { untypedCollection } from '../../../platform/mongo/raw-collection.ts';
import { type ErasureStep, NOTHING_FOUND, type PersonalData } from '../../privacy/erasure-step.ts';
import { mentionsOf, redactValue } from '../../privacy/mentions.ts';
import type { AlertDoc, AlertEventDoc } from './drift-alert.model.ts';

interface Models {
  DriftAlertEvent: Model<AlertEventDoc>;
  DriftAlert: Model<AlertDoc>;
}

const WINDOW = 500;

/**
 * Ids of samples in alerts, where the operator has chosen ids that name people. Alerts belong to no tenant: the ids that
 * mention a person of the tenant are replaced in all of them. They are not counted, since a receipt must not tell a tenant
 * which ids alerts of the operator have. Exports leave them out, since only admins read alerts.
 */
export function alertErasure({ DriftAlertEvent, DriftAlert }: Models): PersonalData {
  const replaceIn = (model: Model<AlertDoc> | Model<AlertEventDoc>, name: string): ErasureStep => {
    const collection = untypedCollection(model);
    return {
      name,
      collections: [collection.collectionName],
      idsOf: collection.collectionName,
      async find({ person, isKnown, isDryRun }, after) {
        const { filter, isIn } = mentionsOf(person);
        const match = filter('features.exampleIds');
        if (!match || !isKnown || isDryRun) return NOTHING_FOUND;
        const found = await collection
          .find({ ...(after !== null && { _id: { $gt: after as Types.ObjectId } }), ...match })
          .project<Pick<AlertDoc, 'features'> & { _id: unknown }>({ 'features.exampleIds': 1 })
          .sort({ _id: 1 })
          .limit(WINDOW)
          .toArray();
        const ids = found
          .filter(({ features }) => features.some(({ exampleIds }) => exampleIds.some(isIn)))
          .map(({ _id }) => String(_id));
        return { ids, counts: {}, next: found.length < WINDOW ? null : found.at(-1)?._id };
      },
      async erase({ person }, ids) {
        const { redact } = mentionsOf(person);
        for (const id of ids) {
          const _id = new Types.ObjectId(id);
          const found = await collection.findOne({ _id });
          const features = (found?.features ?? []) as AlertDoc['features'];
          await collection.updateOne(
            { _id, features },
            {
              $set: {
                features: features.map((feature) => ({
                  ...feature,
                  exampleIds: redactValue(feature.exampleIds, { redact }),
                })),
              },
            },
          );
        }
      },
    };
  };

  return {
    steps: [replaceIn(DriftAlertEvent, 'driftAlertEvents'), replaceIn(DriftAlert, 'driftAlertRecords')],
  };
}
