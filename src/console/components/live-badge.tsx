import { ActionIcon, Badge, Group, Tooltip } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';

interface LiveBadgeProps {
  /** Whether changes are being heard of. */
  live: boolean;
  /** Where it can be stopped: whether it is, and what stops it and lets it go on. */
  paused?: boolean;
  onPause?: (paused: boolean) => void;
}

/** Says whether what is shown follows what happens; where that moves things about, it can be stopped. */
export function LiveBadge({ live, paused = false, onPause }: LiveBadgeProps) {
  const action = paused ? 'Resume live updates' : 'Pause live updates';
  return (
    <Group gap={6} wrap="nowrap">
      <Badge variant="dot" size="lg" tt="none" color={live ? 'teal' : 'gray'} role="status" miw="max-content">
        {paused ? 'Paused' : live ? 'Live' : 'Connecting…'}
      </Badge>
      {onPause && (
        <Tooltip label={action}>
          <ActionIcon variant="default" aria-label={action} onClick={() => onPause(!paused)}>
            {paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
