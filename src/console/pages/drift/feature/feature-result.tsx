import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { resultLabel } from '../drift-format.ts';
import type { FeatureDrift } from '../use-drift.ts';

/** Result of the comparison of a feature. */
export const FeatureResult = ({
  drift: { drifted, insufficientData },
}: {
  drift: Pick<FeatureDrift, 'drifted' | 'insufficientData'>;
}) => (
  <Badge
    color={drifted ? 'red' : 'gray'}
    variant="light"
    tt="none"
    miw="max-content"
    leftSection={drifted && <IconAlertTriangle size={12} aria-hidden />}
  >
    {resultLabel({ isDrifted: drifted, insufficientData })}
  </Badge>
);
