import { Drawer, Skeleton, Stack, Text } from '@mantine/core';
import { hasErrorCode } from '../../../api/graphql-client.ts';
import { DescriptionList } from '../../../components/description-list.tsx';
import { useFocusReturn } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { formatNumber } from '../../../format.ts';
import { useSession } from '../../../session.tsx';
import { formatOptional, formatScore, formatShare } from '../drift-format.ts';
import type { DriftStatus } from '../use-drift.ts';
import { canCompare } from './can-compare.ts';
import { FeatureHistogram } from './feature-histogram.tsx';
import { FeatureHistory } from './feature-history.tsx';
import { FeatureResult } from './feature-result.tsx';
import { FeatureSettings } from './feature-settings-form.tsx';
import { type DriftFeature, useDriftFeature } from './use-drift-feature.ts';

interface FeatureDrawerProps {
  /** Null: closed. */
  feature: string | null;
  /** Null: all samples. */
  stage: string | null;
  status: DriftStatus;
  onClose: () => void;
}

/** Comparison of one feature in both sets, next to the page. */
export function FeatureDrawer({ feature, stage, status, onClose }: FeatureDrawerProps) {
  useFocusReturn(feature !== null);
  return (
    <Drawer
      opened={feature !== null}
      onClose={onClose}
      position="right"
      size="xl"
      title={feature}
      styles={{ title: { fontWeight: 650, overflowWrap: 'anywhere' } }}
      closeButtonProps={{ 'aria-label': 'Close feature' }}
      returnFocus={false}
    >
      {feature !== null &&
        (canCompare(status.featureDrifts) ? (
          <FeatureDetails key={feature} feature={feature} stage={stage} generalThreshold={status.threshold} />
        ) : (
          <Text>The sidecar does not report details of features.</Text>
        ))}
    </Drawer>
  );
}

interface FeatureDetailsProps {
  feature: string;
  stage: string | null;
  generalThreshold: number;
}

function FeatureDetails({ feature, stage, generalThreshold }: FeatureDetailsProps) {
  const { isAdmin } = useSession();
  const { data, error } = useDriftFeature({ feature, stage });
  return (
    <Stack gap="lg">
      {hasErrorCode(error, 'NOT_FOUND') ? <Text>{error.message}</Text> : <ErrorAlert error={error} />}
      {!data && !error && <Skeleton h={500} aria-label="Loading the feature" />}
      {data && (
        <>
          <FeatureFacts drift={data} stage={stage} />
          <FeatureHistogram {...data} />
          {isAdmin && (
            <>
              <FeatureHistory
                feature={feature}
                stage={stage}
                threshold={data.threshold ?? generalThreshold}
              />
              <FeatureSettings
                feature={feature}
                hasWeight={data.weight !== null}
                generalThreshold={generalThreshold}
              />
            </>
          )}
        </>
      )}
    </Stack>
  );
}

function FeatureFacts({ drift, stage }: { drift: DriftFeature; stage: string | null }) {
  const { score, threshold, weight, type, rows, missing, newCategories, vanishedCategories } = drift;
  return (
    <div>
      <DescriptionList
        columns={{ base: 2, sm: 3 }}
        items={[
          ['Samples', stage === null ? 'all' : `stage ${stage}`],
          ['Score now', formatScore(score)],
          ['Threshold', threshold],
          ['Result', <FeatureResult key="result" drift={drift} />],
          ['Type', type],
          ['Weight', weight],
          ['Reference rows', formatOptional(rows?.reference, formatNumber)],
          ['Current rows', formatOptional(rows?.current, formatNumber)],
          ['Missing in reference', formatOptional(missing?.reference, formatShare)],
          ['Missing in current', formatOptional(missing?.current, formatShare)],
          ['New categories', describeCategories(newCategories)],
          ['Vanished categories', describeCategories(vanishedCategories)],
        ]}
      />
    </div>
  );
}

/** `1: marketplace`; `none`; nothing if the sidecar does not report it. */
function describeCategories(change: DriftFeature['newCategories']): string | null {
  if (!change) return null;
  if (change.count === 0) return 'none';
  const more = change.count > change.names.length ? ', …' : '';
  return `${formatNumber(change.count)}: ${change.names.join(', ')}${more}`;
}
