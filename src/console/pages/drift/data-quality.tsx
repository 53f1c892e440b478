import { List, Text, Title } from '@mantine/core';
import { formatCount, formatShare } from '../../format.ts';
import type { DriftFeature } from './drift-queries.ts';
import type { FeatureDrift } from './drift-verdict.ts';

type Compared = Pick<FeatureDrift, 'noData' | 'missing' | 'newCategoryShare' | 'newCategories'> &
  Partial<Pick<DriftFeature, 'outOfRange'>>;

/** A smaller increase of missing values is not a finding. */
const MIN_MISSING_INCREASE = 0.01;

/** Problems of the data of a feature, which can be the cause of its drift. */
export function qualityFindings(drift: Compared): string[] {
  const { noData, missing, newCategoryShare, newCategories, outOfRange } = drift;
  // Without data, every row is missing.
  if (noData) return ['no data: a set has rows, but none of them has a value'];
  const findings: string[] = [];
  if (missing && missing.current - missing.reference >= MIN_MISSING_INCREASE)
    findings.push(
      `${formatShare(missing.current)} of the current rows have no value, ${formatShare(missing.reference)} of the reference`,
    );
  if (newCategoryShare)
    findings.push(
      `${formatShare(newCategoryShare)} of the current rows are in ${formatCount(newCategories?.count ?? 0, 'new category', 'new categories')}`,
    );
  if (outOfRange)
    findings.push(`${formatShare(outOfRange)} of the current numbers are outside the range of the reference`);
  return findings;
}

/** Further features with findings are counted. */
const MAX_FEATURES = 5;

/** Findings of all features, apart from their scores; renders nothing without one. */
export function DataQuality({ drifts }: { drifts: readonly FeatureDrift[] }) {
  const found = drifts.flatMap((drift) => {
    const findings = qualityFindings(drift);
    return findings.length > 0 ? [{ feature: drift.feature, findings }] : [];
  });
  if (found.length === 0) return null;
  const moreCount = found.length - MAX_FEATURES;
  return (
    <section aria-label="Data quality">
      <Title order={3} size="h6" mb={4}>
        Data quality
      </Title>
      <List size="sm" mb="md">
        {found.slice(0, MAX_FEATURES).map(({ feature, findings }) => (
          <List.Item key={feature} className="breakable">
            <b>{feature}</b>: {findings.join('; ')}
          </List.Item>
        ))}
      </List>
      {moreCount > 0 && (
        <Text size="sm" c="dimmed" mb="md">
          And {formatCount(moreCount, 'more feature')}: open a feature for its findings.
        </Text>
      )}
    </section>
  );
}
