import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelativeTime } from '../time-format.ts';
import { TimeToggle } from './time-toggle.tsx';

const REFRESH_MS = 15_000;

interface RelativeTimeProps {
  at: string | null | undefined;
  /** Shown if there is no time. */
  fallback?: string;
}

/** A time relative to now, which shows the exact time on request. */
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
  return <TimeToggle at={at}>{formatRelativeTime(at)}</TimeToggle>;
}
