import { Group, Paper, Text } from '@mantine/core';
import { IconHeadset, IconRobot, IconUser } from '@tabler/icons-react';
import { DateTime } from '../../../components/date-time.tsx';
import type { MessageRole } from '../../../generated/graphql.ts';
import type { Message } from './use-conversation-transcript.ts';

/** Visitors on the left, the tenant's side on the right. */
const ROLES: Record<
  MessageRole,
  { name: string; icon: typeof IconUser; side: 'start' | 'end'; color: string }
> = {
  visitor: { name: 'Visitor', icon: IconUser, side: 'start', color: 'gray' },
  bot: { name: 'Bot', icon: IconRobot, side: 'end', color: 'indigo' },
  operator: { name: 'Operator', icon: IconHeadset, side: 'end', color: 'teal' },
};

export function MessageItem({ message }: { message: Message }) {
  const { name, icon: Icon, side, color } = ROLES[message.role];
  return (
    <li
      style={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: `flex-${side}`,
        paddingBottom: 'var(--mantine-spacing-md)',
      }}
    >
      <Group gap={6} mb={4}>
        <Icon size={14} aria-hidden />
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <DateTime at={message.sentAt} format="formatClockTime" />
        </Text>
      </Group>
      <Paper px="md" py="xs" bg={`var(--mantine-color-${color}-light)`} maw="min(85%, 36rem)">
        <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {message.text}
        </Text>
      </Paper>
    </li>
  );
}
