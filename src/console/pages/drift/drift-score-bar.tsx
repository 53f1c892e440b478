import { Box } from '@mantine/core';

interface ScoreBarProps {
  score: number;
  threshold: number;
  /** Score at the right end. */
  max: number;
  drifted: boolean;
  /** Pixels. */
  height?: number;
}

const share = (value: number, max: number): string => `${Math.min(100, (value / max) * 100)}%`;

/** A score as a bar, with a line where the threshold is. A picture only: the number stands beside it. */
export function ScoreBar({ score, threshold, max, drifted, height = 12 }: ScoreBarProps) {
  return (
    <Box pos="relative" h={height + 8} py={4} aria-hidden>
      <Box
        h={height}
        bg="var(--mantine-color-default-border)"
        style={{ borderRadius: 4, overflow: 'hidden' }}
      >
        <Box
          h="100%"
          w={share(score, max)}
          bg={drifted ? 'var(--mantine-color-red-filled)' : 'var(--mantine-primary-color-filled)'}
        />
      </Box>
      <Box
        pos="absolute"
        top={0}
        h="100%"
        w={2}
        left={share(threshold, max)}
        bg="var(--mantine-color-text)"
      />
    </Box>
  );
}
