import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { DAY_MS, formatCount, MINUTE_MS } from '../../format.ts';
import { type TimeFormat, useTimeFormat } from '../../time-format.ts';
import { formatScore } from './drift-format.ts';
import type { PlannedChange } from './planned-changes.tsx';

/** With more points, the dots would overlap. */
const MAX_DOTS = 60;
const TIME_TICKS = 5;
const MAX_SCORE_TICKS = 5;
const SCORE_STEPS = [0.05, 0.1, 0.2, 0.25, 0.5];

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
export default function ScoreChart({ points, threshold, changes = [] }: ScoreChartProps) {
  const data = points
    .toReversed()
    .map(({ checkedAt, score }) => ({ at: Date.parse(checkedAt), Score: score }));
  const timeFormat = useTimeFormat();
  const [fromMs, toMs] = [data[0]?.at ?? 0, data.at(-1)?.at ?? 0];
  const time = timeAxis(fromMs, toMs, timeFormat);
  const marks = changeMarks(changes).filter(({ at }) => at >= fromMs && at <= toMs);
  const scores = scoreAxis(Math.max(threshold, ...data.map(({ Score }) => Score)));
  return (
    <Box role="img" aria-label={summary(points, threshold) + describeMarks(marks)}>
      <LineChart
        h={260}
        data={data}
        dataKey="at"
        series={[{ name: 'Score', color: 'indigo.6' }]}
        curveType="linear"
        withDots={data.length <= MAX_DOTS}
        valueFormatter={formatScore}
        referenceLines={[
          { y: threshold, label: `Threshold ${threshold}`, color: 'red.7' },
          ...marks.map(({ at, label }) => ({
            x: at,
            label: shorten(label),
            color: 'grape.7',
            // The label stays inside the chart.
            labelPosition: at - fromMs > (toMs - fromMs) / 2 ? RIGHT : LEFT,
          })),
        ]}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          ticks: time.ticks,
          tickFormatter: time.format,
        }}
        yAxisProps={{
          domain: [0, scores.at(-1) ?? 1],
          ticks: scores,
          tickFormatter: formatTick,
          width: 48,
        }}
        tooltipProps={{
          labelFormatter: (at) => (typeof at === 'number' ? timeFormat.formatExactTime(at) : null),
        }}
        lineChartProps={{ accessibilityLayer: false }}
      />
    </Box>
  );
}

const LEFT = 'insideTopLeft' as const;
const RIGHT = 'insideTopRight' as const;

/** A longer title would cover the lines of others; the table of planned changes shows it completely. */
const MAX_TITLE_LENGTH = 20;

const shorten = (title: string): string =>
  title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title;

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

/** Evenly spaced ticks between two Unix times in milliseconds, and their label format. */
function timeAxis(fromMs: number, toMs: number, formats: TimeFormat) {
  const rangeMs = toMs - fromMs;
  const ticks =
    rangeMs === 0
      ? [fromMs]
      : Array.from({ length: TIME_TICKS }, (_, index) => fromMs + (rangeMs * index) / (TIME_TICKS - 1));
  return { ticks, format: tickFormat(rangeMs, formats) };
}

/** Returns the coarsest format that gives every tick its own label. */
function tickFormat(rangeMs: number, formats: TimeFormat): (at: number) => string {
  if (rangeMs > TIME_TICKS * DAY_MS) return formats.formatDay;
  return rangeMs > TIME_TICKS * MINUTE_MS ? formats.formatClockTime : formats.formatClockSeconds;
}

/** Round ticks from 0 to a value above the highest score. */
function scoreAxis(highestScore: number): number[] {
  // The score of a feature has no maximum.
  const step =
    SCORE_STEPS.find((size) => highestScore / size < MAX_SCORE_TICKS) ??
    Math.ceil(highestScore / MAX_SCORE_TICKS);
  const count = Math.floor(highestScore / step) + 1;
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

const formatTick = (score: number): string => score.toFixed(2);
