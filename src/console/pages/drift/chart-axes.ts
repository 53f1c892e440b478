const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Marks on the axis of time. */
const MARKS = 5;

const second = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** As exact as the span needs, so that no two marks have the same words. */
function formatOf(span: number): Intl.DateTimeFormat {
  if (span > MARKS * DAY_MS) return day;
  return span > MARKS * MINUTE_MS ? minute : second;
}

/** Evenly spaced marks from one point in time to another (milliseconds), and their words. */
export function timeAxis(from: number, to: number) {
  const span = to - from;
  const ticks =
    span === 0 ? [from] : Array.from({ length: MARKS }, (_, mark) => from + (span * mark) / (MARKS - 1));
  return { ticks, format: (at: number) => formatOf(span).format(at) };
}

/** Round marks from 0 to something above the highest score; never above 1, since no score is. */
export function scoreAxis(highest: number): number[] {
  const step = [0.05, 0.1, 0.2].find((size) => highest / size < MARKS) ?? 0.25;
  const marks = Math.min(Math.floor(highest / step) + 1, Math.round(1 / step));
  return Array.from({ length: marks + 1 }, (_, mark) => mark * step);
}
