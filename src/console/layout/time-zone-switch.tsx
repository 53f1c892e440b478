import { NavLink } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { setTimeZone, useTimeFormat } from '../time-format.ts';

/** Switches all times of the console between the browser's time zone and UTC. */
export function TimeZoneSwitch() {
  const { zone, zoneName } = useTimeFormat();
  const isUtc = zone === 'utc';
  return (
    <NavLink
      component="button"
      mt="lg"
      role="switch"
      aria-checked={isUtc}
      aria-label="Times in UTC"
      label="Times in UTC"
      description={isUtc ? 'on' : `off: ${zoneName}`}
      leftSection={<IconClock size={18} aria-hidden />}
      onClick={() => setTimeZone(isUtc ? 'local' : 'utc')}
    />
  );
}
