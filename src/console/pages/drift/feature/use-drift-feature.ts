import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { graphql } from '../../../generated/gql.ts';
import type { DriftFeatureQuery, DriftFeatureSettingsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

const FEATURE = graphql(`
  query DriftFeature($feature: String!, $stage: String) {
    driftFeature(feature: $feature, stage: $stage) {
      score
      drifted
      insufficientData
      type
      weight
      threshold
      rows {
        reference
        current
      }
      missing {
        reference
        current
      }
      newCategories {
        count
        names
      }
      vanishedCategories {
        count
        names
      }
      bins {
        lower
        upper
        category
        missing
        reference {
          count
          share
        }
        current {
          count
          share
        }
        contribution
      }
      otherCategories {
        count
        contribution
      }
    }
  }
`);

const SETTINGS = graphql(`
  query DriftFeatureSettings {
    driftFeatureSettings {
      feature
      weight
      threshold
    }
  }
`);

const SET_SETTINGS = graphql(`
  mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!) {
    setDriftFeatureSettings(features: $features) {
      feature
    }
  }
`);

export type DriftFeature = DriftFeatureQuery['driftFeature'];
export type DriftBin = DriftFeature['bins'][number];
export type FeatureSetting = DriftFeatureSettingsQuery['driftFeatureSettings'][number];

interface FeatureOfScope {
  feature: string;
  /** Null: all samples. */
  stage: string | null;
}

/** Loads the comparison of a feature with its bins, which the sidecar computes on request. */
export function useDriftFeature({ feature, stage }: FeatureOfScope) {
  const { call } = useSession();
  return useQuery({
    queryKey: queryKeys.driftFeature(stage, feature),
    queryFn: async () => (await call(FEATURE, { feature, stage })).driftFeature,
  });
}

/** Loads the features with a weight or threshold of their own. Requires an admin key. */
export function useFeatureSettings() {
  const { call } = useSession();
  return useQuery({
    queryKey: queryKeys.driftFeatureSettings,
    queryFn: async () => (await call(SETTINGS)).driftFeatureSettings,
    // The form would keep cached settings, and saving it would revert those of another administrator.
    gcTime: 0,
  });
}

/** Replaces the settings of one feature, and keeps those of all others. */
export function useSaveFeatureSetting() {
  const { call } = useSession();
  return useServiceMutation(
    async (setting: FeatureSetting) => {
      // Loaded again: another administrator may have changed the other features.
      const { driftFeatureSettings } = await call(SETTINGS);
      const others = driftFeatureSettings.filter(({ feature }) => feature !== setting.feature);
      const isDefault = setting.weight === 1 && setting.threshold === null;
      await call(SET_SETTINGS, { features: isDefault ? others : [...others, setting] });
    },
    {
      invalidates: [queryKeys.drift],
      notify: (_, { feature }) => ({ message: `Settings of ${feature} saved.`, color: 'teal' }),
    },
  );
}
