import type { ModelDb } from './model-db.ts';
import type { FeatureSetting } from './psi/drift-report.ts';

interface SettingsDoc {
  _id: 'features';
  features: FeatureSetting[];
}

/**
 * Creates the store of weights and thresholds. All are in one document, so that they change together, and they are
 * read for each request, so that all processes on the database use the same.
 */
export function featureSettingStore(db: ModelDb) {
  const settings = db.collection<SettingsDoc>('featureSettings');

  return {
    list: async (): Promise<FeatureSetting[]> =>
      (await settings.findOne({ _id: 'features' }))?.features ?? [],

    async replace(features: FeatureSetting[]): Promise<void> {
      await settings.replaceOne({ _id: 'features' }, { features }, { upsert: true });
    },
  };
}
