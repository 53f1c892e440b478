import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { FeatureDrift } from '../use-drift.ts';

/** Result of the comparison of a feature. */
export function FeatureResult({ drift }: { drift: Pick<FeatureDrift, 'drifted' | 'insufficientData'> }) {
  const { drifted, insufficientData } = drift;
  if (drifted) {
    return (
      <Badge
        color="red"
        variant="light"
        tt="none"
        miw="max-content"
        leftSection={<IconAlertTriangle size={12} aria-hidden />}
      >
        drifted
      </Badge>
    );
  }
  return (
    <Badge color="gray" variant="light" tt="none" miw="max-content">
      {insufficientData ? 'too few samples' : 'no drift'}
    </Badge>
  );
}
