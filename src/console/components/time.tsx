import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelativeTime, timeLocale, useTimeFormat } from '../time-format.ts';

const REFRESH_MS = 15_000;

interface RelativeTimeProps {
  at: string | null | undefined;
  /** Shown if there is no time. */
  fallback?: string;
}

/** A time relative to now, or the exact time if the console shows exact times. */
export function RelativeTime({ at, fallback = 'never' }: RelativeTimeProps) {
  const { isExact } = useTimeFormat();
  const [, setTick] = useState(0);
  useEffect(() => {
    if (isExact) return;
    const timer = setInterval(() => setTick((count) => count + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isExact]);
  if (!at)
    return (
      <Text span c="dimmed" inherit>
        {fallback}
      </Text>
    );
  return <Time at={at}>{formatRelativeTime(at)}</Time>;
}

interface DateTimeProps {
  at: string;
  /** Text of the time; date and time by default. */
  format?: 'formatDateTime' | 'formatDate' | 'formatClockTime';
}

/** A date, a time or both, or the exact time if the console shows exact times. */
export function DateTime({ at, format = 'formatDateTime' }: DateTimeProps) {
  const formats = useTimeFormat();
  return <Time at={at}>{formats[format](at)}</Time>;
}

interface TimeProps {
  at: string;
  /** The time as text. */
  children: string;
}

/** A time with its exact value, with seconds and zone, as its title; one switch in the menu shows all exact values. */
function Time({ at, children }: TimeProps) {
  const { formatExactTime, isExact } = useTimeFormat();
  const exact = formatExactTime(at);
  return (
    <time dateTime={at} lang={timeLocale} title={exact}>
      {isExact ? exact : children}
    </time>
  );
}
