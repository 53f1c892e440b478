import { Anchor, Box, Group, Table, Text } from '@mantine/core';
import { formatScore, formatShare } from '../drift-format.ts';
import { DriftScoreBar } from '../drift-score-bar.tsx';
import type { FeatureDrift } from '../use-drift.ts';
import { FeatureResult } from './feature-result.tsx';

/** Explanations of the two built-in features that every model has. */
const BUILT_IN_FEATURES: Record<string, string> = {
  prediction: 'output of the model',
  residual: 'prediction minus actual outcome',
};

interface FeatureRowProps {
  drift: FeatureDrift;
  /** Threshold of features without one of their own. */
  generalThreshold: number;
  /** Score at the right end of the bar. */
  maxScore: number;
  onOpen: (feature: string) => void;
}

/** Row of the feature table. */
export function FeatureRow({ drift, generalThreshold, maxScore, onOpen }: FeatureRowProps) {
  const { feature, score, drifted, type, weight, threshold, missing } = drift;
  return (
    <Table.Tr>
      <Table.Td miw={190} maw={280}>
        <Anchor
          component="button"
          type="button"
          ta="left"
          size="sm"
          fw={drifted ? 650 : 400}
          lineClamp={2}
          className="breakable"
          onClick={() => onOpen(feature)}
        >
          {feature}
        </Anchor>
        {BUILT_IN_FEATURES[feature] && (
          <Text size="xs" c="dimmed">
            {BUILT_IN_FEATURES[feature]}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Text span size="sm" className="mono" miw={48} ta="right">
            {formatScore(score)}
          </Text>
          <Box w={120}>
            <DriftScoreBar
              score={score}
              threshold={threshold ?? generalThreshold}
              maxScore={maxScore}
              drifted={drifted}
            />
          </Box>
        </Group>
      </Table.Td>
      <Table.Td>
        <FeatureResult drift={drift} />
      </Table.Td>
      <Table.Td className="mono">{threshold ?? '–'}</Table.Td>
      <Table.Td className="mono">{weight ?? '–'}</Table.Td>
      <Table.Td>{type ?? '–'}</Table.Td>
      <Table.Td className="mono" style={{ whiteSpace: 'nowrap' }}>
        {missing ? `${formatShare(missing.reference)} → ${formatShare(missing.current)}` : '–'}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{describeCategories(drift)}</Table.Td>
    </Table.Tr>
  );
}

/** `1 new, 2 vanished`; `–` without a change, and if the sidecar does not report it. */
function describeCategories({ newCategories, vanishedCategories }: FeatureDrift): string {
  const changes = [
    { count: newCategories?.count ?? 0, label: 'new' },
    { count: vanishedCategories?.count ?? 0, label: 'vanished' },
  ];
  const texts = changes.filter(({ count }) => count > 0).map(({ count, label }) => `${count} ${label}`);
  return texts.join(', ') || '–';
}
