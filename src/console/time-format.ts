import { useSyncExternalStore } from 'react';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './format.ts';

/** Time zone of all times that the console shows and reads. */
export type TimeZone = 'local' | 'utc';

const STORAGE_KEY = 'engagement.time-zone';

const readTimeZone = (): TimeZone => (localStorage.getItem(STORAGE_KEY) === 'utc' ? 'utc' : 'local');

/** Languages of the browser: times are formatted for them, although the rest of the console is in English. */
const locales = [...navigator.languages];

/** The locale that formats times. */
export const timeLocale = new Intl.DateTimeFormat(locales).resolvedOptions().locale;

const relativeTimeFormat = new Intl.RelativeTimeFormat(locales, { numeric: 'auto' });

function createTimeFormat(zone: TimeZone) {
  const formatOf = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locales, {
      ...options,
      ...(zone === 'utc' && { timeZone: 'UTC' }),
    });
    return (at: string | number): string => format.format(new Date(at));
  };
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // Times are ISO 8601 strings or Unix milliseconds. The examples are in `en-US`.
  return {
    zone,
    /** `UTC`, `America/New_York`. */
    zoneName: zone === 'utc' ? 'UTC' : timeZone,
    /** `Nov 20, 2026, 2:30:00 PM EST`. */
    formatExactTime: formatOf({ dateStyle: 'medium', timeStyle: 'long' }),
    /** `Nov 20, 2026, 2:30 PM`. */
    formatDateTime: formatOf({ dateStyle: 'medium', timeStyle: 'short' }),
    /** `Nov 20, 2026`. */
    formatDate: formatOf({ dateStyle: 'medium' }),
    /** `Friday, November 20, 2026`. */
    formatWeekdayDate: formatOf({ dateStyle: 'full' }),
    /** `2:30 PM`. */
    formatClockTime: formatOf({ timeStyle: 'short' }),
    /** `2:30:00 PM`. */
    formatClockSeconds: formatOf({ timeStyle: 'medium' }),
    /** `Nov 20`. */
    formatDay: formatOf({ month: 'short', day: 'numeric' }),
  };
}

export type TimeFormat = ReturnType<typeof createTimeFormat>;

let current = createTimeFormat(readTimeZone());
const listeners = new Set<() => void>();

function apply(zone: TimeZone): void {
  if (zone === current.zone) return;
  current = createTimeFormat(zone);
  for (const listener of listeners) listener();
}

// Another tab has changed it.
window.addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY) apply(readTimeZone());
});

/** Changes the console's time zone, in all tabs of this browser. */
export function setTimeZone(zone: TimeZone): void {
  localStorage.setItem(STORAGE_KEY, zone);
  apply(zone);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the time formats of the selected zone; the component renders again when the zone changes. */
export const useTimeFormat = (): TimeFormat => useSyncExternalStore(subscribe, () => current);

const RELATIVE_UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const;

/** `3 minutes ago`, `in 2 hours`. */
export function formatRelativeTime(at: string | number, now = Date.now()): string {
  const distanceMs = new Date(at).getTime() - now;
  for (const [unit, unitMs] of RELATIVE_UNITS) {
    if (Math.abs(distanceMs) >= unitMs)
      return relativeTimeFormat.format(Math.trunc(distanceMs / unitMs), unit);
  }
  return relativeTimeFormat.format(0, 'second');
}
