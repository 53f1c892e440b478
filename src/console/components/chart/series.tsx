import type { Plot } from './scale.ts';

export interface Series {
  name: string;
  /** Color of the theme: `red-7`. */
  color: string;
  /** One value for each point; null where there is none. */
  values: readonly (number | null)[];
}

export interface Point {
  /** From 0, the left end of the axis, to 1. */
  x: number;
  /** First line of the tooltip. */
  title: string;
}

interface ShapesProps {
  points: readonly Point[];
  series: readonly Series[];
  plot: Plot;
}

export const themeColor = (color: string): string => `var(--mantine-color-${color})`;

/** Part of a band that its bars fill. */
const BAR_SHARE = 0.7;

/** Bars beside each other, or stacked in the order of the series. */
export function Bars({ points, series, plot, isStacked }: ShapesProps & { isStacked: boolean }) {
  const groupPx = ((plot.right - plot.left) / points.length) * BAR_SHARE;
  const barPx = isStacked ? groupPx : groupPx / series.length;
  return points.flatMap(({ x }, index) =>
    series.map(({ name, color, values }, position) => {
      const below = isStacked ? sumAt(series.slice(0, position), index) : 0;
      const top = plot.y(below + (values[index] ?? 0));
      return (
        <rect
          key={`${x} ${name}`}
          x={plot.x(x) - groupPx / 2 + (isStacked ? 0 : position * barPx)}
          y={top}
          width={barPx}
          height={plot.y(below) - top}
          fill={themeColor(color)}
        />
      );
    }),
  );
}

/** Returns the height of a stack. */
export const sumAt = (series: readonly Series[], index: number): number =>
  series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);

/** With more points, the dots would overlap. */
const MAX_DOTS = 60;

/** A line for each series, interrupted where it has no value. */
export const Lines = ({ points, series, plot }: ShapesProps) =>
  series.map(({ name, color, values }) => {
    const positions = points.map(({ x }, index) => {
      const value = values[index] ?? null;
      return value === null ? null : { x: plot.x(x), y: plot.y(value) };
    });
    const path = positions
      .map((position, index) => position && `${positions[index - 1] ? 'L' : 'M'}${position.x},${position.y}`)
      .join('');
    return (
      <g key={name} fill={themeColor(color)}>
        <path d={path} fill="none" stroke={themeColor(color)} strokeWidth={2} />
        {points.length <= MAX_DOTS &&
          positions.map(
            (position) => position && <circle key={position.x} cx={position.x} cy={position.y} r={3} />,
          )}
      </g>
    );
  });
