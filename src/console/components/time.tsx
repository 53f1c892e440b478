import { Text } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { formatRelativeTime, timeLocale, useTimeFormat } from '../time-format.ts';

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

interface DateTimeProps {
  at: string;
  /** Text of the time; date and time by default. */
  format?: 'formatDateTime' | 'formatDate' | 'formatClockTime';
}

/** A date, a time or both, which show the exact time on request. */
export function DateTime({ at, format = 'formatDateTime' }: DateTimeProps) {
  const formats = useTimeFormat();
  return <TimeToggle at={at}>{formats[format](at)}</TimeToggle>;
}

interface TimeToggleProps {
  at: string;
  /** The time as text. */
  children: ReactNode;
}

/**
 * A time that shows its exact value, with seconds and zone, on a click, a tap or a key. It is a button: it must not be
 * inside a link or another button.
 */
function TimeToggle({ at, children }: TimeToggleProps) {
  const { formatExactTime } = useTimeFormat();
  const id = useId();
  const [shown, setShown] = useState(false);
  const exact = formatExactTime(at);
  return (
    <time dateTime={at} lang={timeLocale}>
      <button type="button" className="time-toggle" popoverTarget={id} title={exact}>
        {children}
      </button>
      <span
        id={id}
        popover="auto"
        className="time-popover"
        onBeforeToggle={({ newState }) => setShown(newState === 'open')}
      >
        {shown && exact}
      </span>
    </time>
  );
}
