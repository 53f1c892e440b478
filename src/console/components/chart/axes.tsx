import type { Plot } from './scale.ts';

/** Distance of the labels of the horizontal axis: with less, every second or third is shown. */
const MIN_LABEL_PX = 90;
/** Labels nearer to the right end of the axis end at their positions, so that they stay inside the chart. */
const EDGE_SHARE = 0.05;
const SLANT_DEGREES = -40;
const GAP_PX = 8;

const TEXT_COLOR = 'var(--mantine-color-dimmed)';

export interface Label {
  /** From 0, the left end of the axis, to 1. */
  x: number;
  text: string;
}

interface VerticalAxisProps {
  ticks: readonly number[];
  plot: Plot;
  format: (value: number) => string;
}

export const VerticalAxis = ({ ticks, plot, format }: VerticalAxisProps) =>
  ticks.map((tick) => (
    <g key={tick}>
      <line
        x1={plot.left}
        x2={plot.right}
        y1={plot.y(tick)}
        y2={plot.y(tick)}
        stroke="var(--mantine-color-default-border)"
      />
      <text x={plot.left - GAP_PX} y={plot.y(tick)} dy="0.35em" textAnchor="end" fill={TEXT_COLOR}>
        {format(tick)}
      </text>
    </g>
  ));

interface HorizontalAxisProps {
  /** Evenly spaced. */
  labels: readonly Label[];
  plot: Plot;
  /** Shows all labels, at an angle. */
  isSlanted: boolean;
}

export function HorizontalAxis({ labels, plot, isSlanted }: HorizontalAxisProps) {
  const [first, second] = labels;
  const distancePx = first && second ? plot.x(second.x) - plot.x(first.x) : MIN_LABEL_PX;
  const every = isSlanted ? 1 : Math.ceil(MIN_LABEL_PX / distancePx);
  return labels
    .filter((_, index) => index % every === 0)
    .map(({ x, text }) => (
      <text
        key={x}
        transform={`translate(${plot.x(x)} ${plot.bottom + 2 * GAP_PX}) rotate(${isSlanted ? SLANT_DEGREES : 0})`}
        textAnchor={isSlanted || x > 1 - EDGE_SHARE ? 'end' : 'middle'}
        fill={TEXT_COLOR}
      >
        {text}
      </text>
    ));
}

interface ThresholdProps {
  value: number;
  label: string;
  plot: Plot;
}

export const Threshold = ({ value, label, plot }: ThresholdProps) => (
  <g stroke="var(--mantine-color-red-7)">
    <line x1={plot.left} x2={plot.right} y1={plot.y(value)} y2={plot.y(value)} />
    <LineText x={plot.right - GAP_PX} y={plot.y(value) - GAP_PX / 2} anchor="end" text={label} />
  </g>
);

/** A vertical line with a label at its top. */
export const Mark = ({ x, text, plot }: Label & { plot: Plot }) => (
  <g stroke="var(--mantine-color-grape-7)">
    <VerticalLine x={plot.x(x)} plot={plot} />
    <LineText
      x={plot.x(x) + (x > 0.5 ? -GAP_PX : GAP_PX)}
      y={plot.top + 2 * GAP_PX}
      anchor={x > 0.5 ? 'end' : 'start'}
      text={text}
    />
  </g>
);

/** @param x distance from the left in pixels */
export const VerticalLine = ({ x, plot }: { x: number; plot: Plot }) => (
  <line x1={x} x2={x} y1={plot.top} y2={plot.bottom} />
);

interface LineTextProps {
  x: number;
  y: number;
  anchor: 'start' | 'end';
  text: string;
}

/** Text that lines of the chart do not make illegible. */
const LineText = ({ x, y, anchor, text }: LineTextProps) => (
  <text
    x={x}
    y={y}
    textAnchor={anchor}
    fill="var(--mantine-color-text)"
    stroke="var(--mantine-color-body)"
    strokeWidth={4}
    paintOrder="stroke"
  >
    {text}
  </text>
);
