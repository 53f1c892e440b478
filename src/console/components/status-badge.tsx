import { Badge } from '@mantine/core';

/** Colors by status. The label is always shown, so that no information depends on color alone. */
const COLORS: Record<string, string> = {
  pending: 'gray',
  succeeded: 'teal',
  retrying: 'yellow',
  failed: 'red',
  cancelled: 'gray',
  active: 'blue',
  handed_off: 'grape',
  ended: 'gray',
  converted: 'teal',
  closed: 'dark',
  running: 'blue',
  paused: 'yellow',
  connected: 'teal',
  key_invalid: 'red',
  failing: 'orange',
  up: 'teal',
  ok: 'teal',
  degraded: 'yellow',
  down: 'red',
  unreachable: 'red',
  enabled: 'teal',
  disabled: 'red',
  not_accepting: 'orange',
  gone: 'red',
  expired: 'gray',
  revoked: 'red',
  suspended: 'red',
  being_deleted: 'red',
  completed: 'teal',
  aborted: 'red',
};

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge color={COLORS[status] ?? 'gray'} variant="light" tt="none" miw="max-content">
      {status.replaceAll('_', ' ')}
    </Badge>
  );
}
