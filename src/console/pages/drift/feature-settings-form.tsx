import { Button, Group, NumberInput, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_WEIGHT } from '../../../shared/drift-limits.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import type { DriftFeatureSettingsQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { useModel } from './drift-queries.ts';

const SETTINGS = graphql(`
  query DriftFeatureSettings($model: String) {
    driftFeatureSettings(model: $model) {
      feature
      weight
      threshold
    }
  }
`);

const SET_SETTINGS = graphql(`
  mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!, $model: String) {
    setDriftFeatureSettings(features: $features, model: $model) {
      feature
    }
  }
`);

type FeatureSetting = DriftFeatureSettingsQuery['driftFeatureSettings'][number];

interface FeatureSettingsProps {
  feature: string;
  /** False for the prediction and the residual, which are not part of the mean. */
  hasWeight: boolean;
  generalThreshold: number;
}

/** Weight and threshold of a feature, which an admin can change. */
export function FeatureSettings({ feature, ...props }: FeatureSettingsProps) {
  const { data, error } = useFeatureSettings();
  const setting = data?.find((entry) => entry.feature === feature) ?? { feature, weight: 1, threshold: null };
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Weight and threshold
      </Title>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={90} aria-label="Loading weight and threshold" />}
      {data && <SettingForm setting={setting} {...props} />}
    </div>
  );
}

interface SettingFormProps extends Omit<FeatureSettingsProps, 'feature'> {
  setting: FeatureSetting;
}

function SettingForm({ setting, hasWeight, generalThreshold }: SettingFormProps) {
  const [weight, setWeight] = useState<number | string>(setting.weight);
  const [threshold, setThreshold] = useState<number | string>(setting.threshold ?? '');
  const save = useSaveFeatureSetting();
  const submit = (): void => {
    save.mutate({
      feature: setting.feature,
      weight: weight === '' ? 1 : Number(weight),
      threshold: threshold === '' ? null : Number(threshold),
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <Group align="flex-start" grow preventGrowOverflow={false}>
          {hasWeight && (
            <NumberInput
              label="Weight"
              description="In the mean of the features; 0 excludes this one."
              min={0}
              max={MAX_WEIGHT}
              value={weight}
              onChange={setWeight}
            />
          )}
          <NumberInput
            label="Threshold"
            description={`Empty: the general threshold of ${generalThreshold}.`}
            min={0}
            step={0.1}
            value={threshold}
            onChange={setThreshold}
          />
        </Group>
        <ErrorAlert error={save.error} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Loads the features with a weight or threshold of their own. Requires an admin key. */
function useFeatureSettings() {
  const { call } = useSession();
  const model = useModel();
  return useQuery({
    queryKey: queryKeys.driftFeatureSettings(model),
    queryFn: async () => (await call(SETTINGS, { model })).driftFeatureSettings,
    // From the cache, the form would start with outdated settings, and saving would revert another administrator's change.
    gcTime: 0,
  });
}

/** Replaces the settings of one feature, and keeps the others. */
function useSaveFeatureSetting() {
  const { call } = useSession();
  const model = useModel();
  return useServiceMutation(
    async (setting: FeatureSetting) => {
      // Another administrator may have changed the other features since they were loaded.
      const { driftFeatureSettings } = await call(SETTINGS, { model });
      const others = driftFeatureSettings.filter(({ feature }) => feature !== setting.feature);
      const isDefault = setting.weight === 1 && setting.threshold === null;
      await call(SET_SETTINGS, { features: isDefault ? others : [...others, setting], model });
    },
    {
      invalidates: [queryKeys.drift],
      notify: (_, { feature }) => ({ message: `Settings of ${feature} saved.`, color: 'teal' }),
    },
  );
}
