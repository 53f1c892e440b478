import { Box } from '@mantine/core';

interface DriftScoreBarProps {
  score: number;
  threshold: number;
  /** Noise floor; null if the sidecar does not report it. */
  noise?: number | null | undefined;
  /** Score at the right end of the bar. */
  maxScore: number;
  drifted: boolean;
  heightPx?: number;
}

const percentOf = (value: number, max: number): string => `${Math.min(100, (value / max) * 100)}%`;

/**
 * A score as a bar with a solid line at the threshold and a dotted one at the noise floor. Hidden from screen readers:
 * callers show the numbers as well.
 */
export function DriftScoreBar({
  score,
  threshold,
  noise,
  maxScore,
  drifted,
  heightPx = 12,
}: DriftScoreBarProps) {
  return (
    <Box pos="relative" h={heightPx + 8} py={4} aria-hidden>
      <Box
        h={heightPx}
        bg="var(--mantine-color-default-border)"
        style={{ borderRadius: 4, overflow: 'hidden' }}
      >
        <Box
          h="100%"
          w={percentOf(score, maxScore)}
          bg={drifted ? 'var(--mantine-color-red-filled)' : 'var(--mantine-primary-color-filled)'}
        />
      </Box>
      {noise != null && (
        <Box
          pos="absolute"
          top={0}
          h="100%"
          left={percentOf(noise, maxScore)}
          style={{ borderInlineStart: '2px dotted var(--mantine-color-text)' }}
        />
      )}
      <Box
        pos="absolute"
        top={0}
        h="100%"
        w={2}
        left={percentOf(threshold, maxScore)}
        bg="var(--mantine-color-text)"
      />
    </Box>
  );
}
