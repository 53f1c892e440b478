import { useTimeFormat } from '../time-format.ts';
import { TimeToggle } from './time-toggle.tsx';

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
