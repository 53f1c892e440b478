import { Badge, Box, Group, Text } from '@mantine/core';
import { formatScore } from './drift-format.ts';
import { DriftScoreBar } from './drift-score-bar.tsx';
import type { DriftComponents } from './use-drift.ts';

const COMPONENTS = [
  { name: 'features', label: 'Features', explanation: 'weighted mean of the input features' },
  { name: 'prediction', label: 'Prediction', explanation: 'output of the model' },
  { name: 'outcome', label: 'Outcome', explanation: 'prediction minus actual outcome' },
] as const;

export type ComponentName = (typeof COMPONENTS)[number]['name'];

/** Returns the component that is the score; null if none is known, or all are 0. */
export function decidingComponent(components: DriftComponents | null | undefined): ComponentName | null {
  const largest = Math.max(0, ...COMPONENTS.map(({ name }) => components?.[name] ?? 0));
  return COMPONENTS.find(({ name }) => largest > 0 && components?.[name] === largest)?.name ?? null;
}

interface DriftComponentsListProps {
  /** Null if the sidecar does not report them. */
  components: DriftComponents | null | undefined;
  threshold: number;
}

/** The three components of the score, with a mark on the one that decides it. */
export function DriftComponentsList({ components, threshold }: DriftComponentsListProps) {
  if (!components) {
    return (
      <Text size="sm" c="dimmed">
        The sidecar does not report the components of the score.
      </Text>
    );
  }
  const deciding = decidingComponent(components);
  return (
    <Box component="ul" m={0} p={0} aria-label="Components of the score" style={{ listStyle: 'none' }}>
      {COMPONENTS.map(({ name, label, explanation }) => {
        const score = components[name];
        return (
          <Box component="li" key={name} py={6}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Group gap="xs">
                <Text size="sm" fw={name === deciding ? 650 : 400}>
                  {label}
                </Text>
                {name === deciding && (
                  <Badge size="sm" tt="none" variant="light" color="indigo">
                    decides the score
                  </Badge>
                )}
              </Group>
              <Text
                size="sm"
                className={score == null ? undefined : 'mono'}
                c={score == null ? 'dimmed' : undefined}
              >
                {score == null ? 'too few samples' : formatScore(score)}
              </Text>
            </Group>
            {score != null && (
              <DriftScoreBar score={score} threshold={threshold} maxScore={1} drifted={score > threshold} />
            )}
            <Text size="xs" c="dimmed">
              {explanation}
            </Text>
          </Box>
        );
      })}
    </Box>
  );
}
