import { DAY_MS } from '../../format.ts';
import type { TimeFormat } from '../../time-format.ts';

const MINUTE_MS = 60_000;
const TIME_TICKS = 5;
const MAX_SCORE_TICKS = 5;
const SCORE_STEPS = [0.05, 0.1, 0.2, 0.25, 0.5];

/** Returns the coarsest format in which no two ticks have the same label. */
function tickFormat(rangeMs: number, formats: TimeFormat): (at: number) => string {
  if (rangeMs > TIME_TICKS * DAY_MS) return formats.formatDay;
  return rangeMs > TIME_TICKS * MINUTE_MS ? formats.formatClockTime : formats.formatClockSeconds;
}

/** Evenly spaced ticks between two Unix times in milliseconds, and their label format. */
export function timeAxis(fromMs: number, toMs: number, formats: TimeFormat) {
  const rangeMs = toMs - fromMs;
  const ticks =
    rangeMs === 0
      ? [fromMs]
      : Array.from({ length: TIME_TICKS }, (_, index) => fromMs + (rangeMs * index) / (TIME_TICKS - 1));
  return { ticks, format: tickFormat(rangeMs, formats) };
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
