import { Anchor, Card } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';

/** Replaces the drift of a stage that has no samples. */
export const StageWithoutSamples = ({ stage }: { stage: string }) => (
  <Card withBorder>
    <EmptyState icon={IconChartBar} title={`No samples for stage ${stage}`}>
      Load samples of this stage, or{' '}
      <Anchor component={Link} href="/drift" inherit>
        show all samples
      </Anchor>
      .
    </EmptyState>
  </Card>
);
