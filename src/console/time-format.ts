import { useSyncExternalStore } from 'react';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './format.ts';

/** Time zone of all times that the console shows and reads. */
export type TimeZone = 'local' | 'utc';

/** How all times of the console are shown. */
interface TimeSettings {
  zone: TimeZone;
  /** True to show every time with seconds and zone. */
  isExact: boolean;
}

const STORAGE_KEYS = { zone: 'engagement.time-zone', isExact: 'engagement.exact-times' } as const;

const readSettings = (): TimeSettings => ({
  zone: localStorage.getItem(STORAGE_KEYS.zone) === 'utc' ? 'utc' : 'local',
  isExact: localStorage.getItem(STORAGE_KEYS.isExact) === 'true',
});

/** Languages of the browser: times are formatted for them, although the rest of the console is in English. */
const locales = [...navigator.languages];

/** The locale that formats times. */
export const timeLocale = new Intl.DateTimeFormat(locales).resolvedOptions().locale;

const relativeTimeFormat = new Intl.RelativeTimeFormat(locales, { numeric: 'auto' });

function createTimeFormat({ zone, isExact }: TimeSettings) {
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
    isExact,
    /** `UTC`, `America/New_York`. */
    zoneName: zone === 'utc' ? 'UTC' : timeZone,
    /** True if times in UTC are the local ones. */
    isLocalUtc: timeZone === 'UTC',
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

let current = createTimeFormat(readSettings());
const listeners = new Set<() => void>();

function applySettings(): void {
  const settings = readSettings();
  if (settings.zone === current.zone && settings.isExact === current.isExact) return;
  current = createTimeFormat(settings);
  for (const listener of listeners) listener();
}

// Another tab has changed a setting.
window.addEventListener('storage', applySettings);

/** Changes how the console shows times, in all tabs of this browser. */
export function setTimeFormat(change: Partial<TimeSettings>): void {
  for (const [name, value] of Object.entries(change))
    localStorage.setItem(STORAGE_KEYS[name as keyof TimeSettings], String(value));
  applySettings();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the time formats of the settings; the component renders again when a setting changes. */
export const useTimeFormat = (): TimeFormat => useSyncExternalStore(subscribe, () => current);

const RELATIVE_UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const;

/** `3 minutes ago`, `in 2 hours`. */
export function formatRelativeTime(at: string | number): string {
  const distanceMs = new Date(at).getTime() - Date.now();
  for (const [unit, unitMs] of RELATIVE_UNITS) {
    if (Math.abs(distanceMs) >= unitMs)
      return relativeTimeFormat.format(Math.trunc(distanceMs / unitMs), unit);
  }
  return relativeTimeFormat.format(0, 'second');
}
