import { Badge } from '@mantine/core';

/** Colours of the statuses that the service knows; the word is always there, so that colour is never all. */
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
  connected: 'teal',
  key_invalid: 'red',
  failing: 'orange',
  up: 'teal',
  ok: 'teal',
  degraded: 'yellow',
  down: 'red',
  enabled: 'teal',
  disabled: 'red',
  expired: 'gray',
  revoked: 'red',
};

export const statusColor = (status: string): string => COLORS[status] ?? 'gray';

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge color={statusColor(status)} variant="light" tt="none" miw="max-content">
      {status.replaceAll('_', ' ')}
    </Badge>
  );
}
