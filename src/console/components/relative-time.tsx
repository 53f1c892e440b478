import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatExactTime, formatRelativeTime } from '../format.ts';

const REFRESH_MS = 15_000;

interface RelativeTimeProps {
  at: string | null | undefined;
  /** Shown if there is no time. */
  fallback?: string;
}

/** A time relative to now, with the exact time in a tooltip. */
export function RelativeTime({ at, fallback = 'never' }: RelativeTimeProps) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (!at)
    return (
      <Text span c="dimmed" inherit>
        {fallback}
      </Text>
    );
  return (
    <Tooltip label={formatExactTime(at)}>
      <time dateTime={at}>{formatRelativeTime(at)}</time>
    </Tooltip>
  );
}
