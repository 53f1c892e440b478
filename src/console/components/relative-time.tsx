import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** `Nov 20, 2026, 2:30:00 PM`, in local time. */
export const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** `3 minutes ago`, `in 2 hours`. */
export function sinceNow(at: Date, now = Date.now()): string {
  const distance = at.getTime() - now;
  for (const [unit, ms] of UNITS) {
    if (Math.abs(distance) >= ms) return relative.format(Math.trunc(distance / ms), unit);
  }
  return 'now';
}

/** A point in time, as far from now as it is; the exact one on hovering. */
export function Time({ at }: { at: string | null | undefined }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (!at)
    return (
      <Text span c="dimmed" inherit>
        never
      </Text>
    );
  const date = new Date(at);
  return (
    <Tooltip label={absolute.format(date)}>
      <time dateTime={at}>{sinceNow(date)}</time>
    </Tooltip>
  );
}
