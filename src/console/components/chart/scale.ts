const MAX_INTERVALS = 5;
const ROUND_STEPS = [1, 2, 5, 10];

/** Returns round ticks from 0 to a value that is at least `highest`. @param minStep 1 for counts */
export function ticksTo(highest: number, minStep = 0): number[] {
  if (highest <= 0) return [0, 1];
  const roughStep = highest / MAX_INTERVALS;
  const magnitude = 10 ** Math.floor(Math.log10(roughStep));
  const roundStep = ROUND_STEPS.map((step) => step * magnitude).find((step) => step >= roughStep);
  const step = Math.max(minStep, roundStep ?? highest);
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}

/** Returns the center of a band, of `count` of equal width, from 0 to 1. */
export const bandCenter = (index: number, count: number): number => (index + 0.5) / count;

/** The area of a chart inside its axes, in pixels, and the positions in it. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Returns the distance from the left. @param share from 0 to 1 */
  x(share: number): number;
  /** Returns the distance from the top. @param value from 0 to the highest tick */
  y(value: number): number;
}

export function plotOf(
  { left, right, top, bottom }: Pick<Plot, 'left' | 'right' | 'top' | 'bottom'>,
  highestTick: number,
): Plot {
  return {
    left,
    right,
    top,
    bottom,
    x: (share) => left + share * (right - left),
    y: (value) => bottom - (value / highestTick) * (bottom - top),
  };
}
