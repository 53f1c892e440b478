import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { formatCount } from '../../format.ts';
import { useTimeFormat } from '../../time-format.ts';
import { scoreAxis, timeAxis } from './chart-axes.ts';
import { formatScore } from './drift-format.ts';

/** With more points, the dots would overlap. */
const MAX_DOTS = 60;

interface ScorePoint {
  checkedAt: string;
  score: number;
  drifted: boolean;
}

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

interface ScoreChartProps {
  /** Newest first, at least one. */
  points: readonly ScorePoint[];
  threshold: number;
}

/** Scores over time, with the threshold as a horizontal line. */
export function ScoreChart({ points, threshold }: ScoreChartProps) {
  const data = points
    .toReversed()
    .map(({ checkedAt, score }) => ({ at: Date.parse(checkedAt), Score: score }));
  const timeFormat = useTimeFormat();
  const time = timeAxis(data[0]?.at ?? 0, data.at(-1)?.at ?? 0, timeFormat);
  const scores = scoreAxis(Math.max(threshold, ...data.map(({ Score }) => Score)));
  return (
    <Box role="img" aria-label={summary(points, threshold)}>
      <LineChart
        h={260}
        data={data}
        dataKey="at"
        series={[{ name: 'Score', color: 'indigo.6' }]}
        curveType="linear"
        withDots={data.length <= MAX_DOTS}
        valueFormatter={formatScore}
        referenceLines={[{ y: threshold, label: `Threshold ${threshold}`, color: 'red.7' }]}
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

const formatTick = (score: number): string => score.toFixed(2);
