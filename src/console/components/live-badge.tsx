import { ActionIcon, Badge, Group, Tooltip } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';

interface LiveBadgeProps {
  /** True while the subscription is connected. */
  live: boolean;
  /** Shows a button that pauses and resumes updates. */
  pause?: { paused: boolean; setPaused: (paused: boolean) => void };
}

/** Connection state of the live updates on a page. */
export function LiveBadge({ live, pause }: LiveBadgeProps) {
  const paused = pause?.paused ?? false;
  const action = paused ? 'Resume live updates' : 'Pause live updates';
  return (
    <Group gap={6} wrap="nowrap">
      <Badge variant="dot" size="lg" tt="none" color={live ? 'teal' : 'gray'} role="status" miw="max-content">
        {paused ? 'Paused' : live ? 'Live' : 'Connecting…'}
      </Badge>
      {pause && (
        <Tooltip label={action}>
          <ActionIcon variant="default" aria-label={action} onClick={() => pause.setPaused(!paused)}>
            {paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
