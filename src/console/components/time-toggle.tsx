import { type ReactNode, useId, useState } from 'react';
import { timeLocale, useTimeFormat } from '../time-format.ts';

interface TimeToggleProps {
  at: string;
  /** The time as text. */
  children: ReactNode;
}

/**
 * A time that shows its exact value, with seconds and zone, on a click, a tap or a key. It is a button: it must not be
 * inside a link or another button.
 */
export function TimeToggle({ at, children }: TimeToggleProps) {
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
