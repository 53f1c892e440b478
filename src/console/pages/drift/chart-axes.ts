import { DAY_MS } from '../../format.ts';

const MINUTE_MS = 60_000;
const TIME_TICKS = 5;
const MAX_SCORE_TICKS = 5;
const SCORE_STEPS = [0.05, 0.1, 0.2, 0.25, 0.5];

const secondFormat = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
const minuteFormat = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** Returns the coarsest format in which no two ticks have the same label. */
function tickFormat(rangeMs: number): Intl.DateTimeFormat {
  if (rangeMs > TIME_TICKS * DAY_MS) return dayFormat;
  return rangeMs > TIME_TICKS * MINUTE_MS ? minuteFormat : secondFormat;
}

/** Evenly spaced ticks between two Unix times in milliseconds, and their label format. */
export function timeAxis(fromMs: number, toMs: number) {
  const rangeMs = toMs - fromMs;
  const ticks =
    rangeMs === 0
      ? [fromMs]
      : Array.from({ length: TIME_TICKS }, (_, index) => fromMs + (rangeMs * index) / (TIME_TICKS - 1));
  return { ticks, format: (at: number) => tickFormat(rangeMs).format(at) };
}

/** Round ticks from 0 to a value above the highest score. */
export function scoreAxis(highestScore: number): number[] {
  // Scores of single features have no maximum.
  const step =
    SCORE_STEPS.find((size) => highestScore / size < MAX_SCORE_TICKS) ??
    Math.ceil(highestScore / MAX_SCORE_TICKS);
  const count = Math.floor(highestScore / step) + 1;
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
