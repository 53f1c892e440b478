import { MAX_COUNT } from '../shared/max-count.ts';

const numberFormat = new Intl.NumberFormat('en');
const shareFormat = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const alternativesFormat = new Intl.ListFormat('en', { type: 'disjunction' });
const secondsFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `1,234`. */
export const formatNumber = (value: number): string => numberFormat.format(value);

/** `1 delivery`, `1,234 deliveries`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;

/** `1,234`; `10,000+` for a count that the service has ended at `max`. */
export const formatBoundedCount = (count: number, max = MAX_COUNT): string =>
  formatNumber(count) + (count >= max ? '+' : '');

/** `event`, `event or delivery`, `a, b, or c`. */
export const formatAlternatives = (names: Iterable<string>): string => alternativesFormat.format(names);

/** `8.1%`. */
export const formatShare = (share: number): string => shareFormat.format(share);

/** Formats a value that may be unknown; `–` without one. */
export const formatOptional = (
  value: number | null | undefined,
  format: (value: number) => string,
): string => (value == null ? '–' : format(value));

/** `35 ms`, `1.2 s`, `9 min 5 s`, `34 min`, `1 h 5 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${secondsFormat.format(Math.floor(durationMs / 100) / 10)} s`;
  const minutes = Math.floor(durationMs / MINUTE_MS);
  if (minutes < 10) return `${minutes} min ${Math.floor((durationMs % MINUTE_MS) / SECOND_MS)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds between two ISO 8601 times. */
export const millisecondsBetween = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** `4:05`, `1:04:05`: an offset in a recording. */
export function formatOffset(offsetSeconds: number): string {
  const whole = Math.floor(offsetSeconds);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const twoDigits = (part: number): string => String(part).padStart(2, '0');
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}`
    : `${minutes}:${twoDigits(seconds)}`;
}

/** Indents JSON; returns text that is not JSON unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns a `mailto:` address. Visitors choose the text, so it must not add a subject, a copy or a body. */
export const mailAddress = (email: string): string =>
  `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;
