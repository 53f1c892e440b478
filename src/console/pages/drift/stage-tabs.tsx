import { Tabs, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconCircleDashed } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStageStatuses } from './drift-queries.ts';
import { type DriftStatus, verdictOf } from './drift-verdict.ts';

/** Stage names have a prefix, because a stage can be named like the tab of all samples. */
const ALL = 'all';
const STAGE_PREFIX = 'stage:';

const tabOf = (stage: string | null): string => (stage === null ? ALL : STAGE_PREFIX + stage);

interface StageTabsProps {
  /** Stages that have samples. */
  stages: readonly string[];
  /** Null: all samples. */
  selected: string | null;
  onSelect: (stage: string | null) => void;
  overall: DriftStatus | undefined;
  /** Content of the selected tab. */
  children: ReactNode;
}

/** A tab for all samples and for each stage, with a mark if it drifted or has too few samples. */
export function StageTabs({ stages, selected, onSelect, overall, children }: StageTabsProps) {
  const statuses = useStageStatuses(stages);
  // A stage without samples can be selected by the address.
  const isUnknown = selected !== null && !stages.includes(selected);
  return (
    <Tabs
      value={tabOf(selected)}
      onChange={(tab) => onSelect(tab?.startsWith(STAGE_PREFIX) ? tab.slice(STAGE_PREFIX.length) : null)}
      keepMounted={false}
    >
      <Tabs.List mb="lg" aria-label="Funnel stage">
        <Tabs.Tab value={ALL} rightSection={<Mark status={overall} />}>
          All samples
        </Tabs.Tab>
        {stages.map((stage, index) => (
          <Tabs.Tab
            key={stage}
            value={tabOf(stage)}
            rightSection={<Mark status={statuses[index]?.data} />}
            maw="100%"
          >
            <StageName stage={stage} />
          </Tabs.Tab>
        ))}
        {isUnknown && (
          <Tabs.Tab value={tabOf(selected)} maw="100%">
            <StageName stage={selected} />
          </Tabs.Tab>
        )}
      </Tabs.List>
      <Tabs.Panel value={tabOf(selected)}>{children}</Tabs.Panel>
    </Tabs>
  );
}

/** The page of the stage shows a long name completely. */
const StageName = ({ stage }: { stage: string }) => (
  <Text span inherit lineClamp={2} className="breakable" style={{ whiteSpace: 'normal' }}>
    {stage}
  </Text>
);

const WARNING = { size: 16, color: 'var(--mantine-color-error)', 'aria-hidden': true } as const;

function Mark({ status }: { status: DriftStatus | undefined }) {
  const state = status && verdictOf(status).state;
  switch (state) {
    case 'drifted':
    case 'features drifted':
      return (
        <>
          <IconAlertTriangle {...WARNING} />
          <VisuallyHidden>{state}</VisuallyHidden>
        </>
      );
    case 'too few samples':
      return (
        <>
          <IconCircleDashed size={16} color="var(--mantine-color-dimmed)" aria-hidden />
          <VisuallyHidden>too few samples</VisuallyHidden>
        </>
      );
    default:
      return null;
  }
}
