import { Chart } from '../../components/chart/chart.tsx';
import { DAY_MS, formatCount, MINUTE_MS } from '../../format.ts';
import { type TimeFormat, useTimeFormat } from '../../time-format.ts';
import { formatScore, shorten } from './drift-format.ts';
import type { PlannedChange } from './planned-changes.tsx';

const TIME_TICKS = 5;

interface ScorePoint {
  checkedAt: string;
  score: number;
  drifted: boolean;
}

interface ScoreChartProps {
  /** Newest first, at least one. */
  points: readonly ScorePoint[];
  threshold: number;
  changes?: readonly PlannedChange[];
}

/** Scores over time, with the threshold as a horizontal line, and planned changes between the checks as vertical ones. */
export function ScoreChart({ points, threshold, changes = [] }: ScoreChartProps) {
  const timeFormat = useTimeFormat();
  const checks = points.toReversed().map(({ checkedAt, score }) => ({ at: Date.parse(checkedAt), score }));
  const [fromMs, toMs] = [checks[0]?.at ?? 0, checks.at(-1)?.at ?? 0];
  const rangeMs = toMs - fromMs;
  // A single check is in the middle.
  const position = (at: number): number => (rangeMs === 0 ? 0.5 : (at - fromMs) / rangeMs);
  const marks = changeMarks(changes).filter(({ at }) => at >= fromMs && at <= toMs);
  const formatTick = tickFormat(rangeMs, timeFormat);
  return (
    <Chart
      label={summary(points, threshold) + describeMarks(marks)}
      heightPx={260}
      form="lines"
      points={checks.map(({ at }) => ({ x: position(at), title: timeFormat.formatExactTime(at) }))}
      series={[{ name: 'Score', color: 'indigo-6', values: checks.map(({ score }) => score) }]}
      xLabels={timeTicks(fromMs, rangeMs).map((at) => ({ x: position(at), text: formatTick(at) }))}
      formatValue={formatScore}
      threshold={{ value: threshold, label: `Threshold ${threshold}` }}
      marks={marks.map(({ at, label }) => ({ x: position(at), text: shorten(label, MAX_TITLE_LENGTH) }))}
    />
  );
}

/** A longer title would cover the lines of others; the table of planned changes shows it completely. */
const MAX_TITLE_LENGTH = 20;

interface ChangeMark {
  /** Unix time in milliseconds. */
  at: number;
  label: string;
}

/** Returns the start of each change, and its end unless it is a moment. */
const changeMarks = (changes: readonly PlannedChange[]): ChangeMark[] =>
  changes.flatMap(({ title, startsAt, endsAt }) => [
    { at: Date.parse(startsAt), label: title },
    ...(endsAt === startsAt ? [] : [{ at: Date.parse(endsAt), label: `End: ${title}` }]),
  ]);

const describeMarks = (marks: readonly ChangeMark[]): string =>
  marks.length === 0 ? '' : ` Planned changes: ${marks.map(({ label }) => label).join(', ')}.`;

/** Describes the chart for screen readers. */
function summary(points: readonly ScorePoint[], threshold: number): string {
  const scores = points.map(({ score }) => score);
  const driftedCount = points.filter(({ drifted }) => drifted).length;
  return (
    `Line chart of ${formatCount(points.length, 'check')}: latest score ${formatScore(scores[0] ?? 0)}, ` +
    `lowest ${formatScore(Math.min(...scores))}, highest ${formatScore(Math.max(...scores))}; ` +
    `drift detected in ${driftedCount}. Threshold ${threshold}.`
  );
}

/** Returns evenly spaced Unix times in milliseconds. */
const timeTicks = (fromMs: number, rangeMs: number): number[] =>
  rangeMs === 0
    ? [fromMs]
    : Array.from({ length: TIME_TICKS }, (_, index) => fromMs + (rangeMs * index) / (TIME_TICKS - 1));

/** Returns the coarsest format that gives every tick its own label. */
function tickFormat(rangeMs: number, formats: TimeFormat): (at: number) => string {
  if (rangeMs > TIME_TICKS * DAY_MS) return formats.formatDay;
  return rangeMs > TIME_TICKS * MINUTE_MS ? formats.formatClockTime : formats.formatClockSeconds;
}
