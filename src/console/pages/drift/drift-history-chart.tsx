import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { formatCount, formatExactTime } from '../../format.ts';
import { scoreAxis, timeAxis } from './chart-axes.ts';
import type { DriftCheck } from './use-drift.ts';

/** With more points, the dots would overlap. */
const MAX_DOTS = 60;

const formatScore = (score: number): string => score.toFixed(2);

/** Describes the chart for screen readers. */
function summary(checks: readonly DriftCheck[], threshold: number): string {
  const scores = checks.map(({ driftScore }) => driftScore);
  const driftedCount = checks.filter(({ isDrifted }) => isDrifted).length;
  return (
    `Line chart of ${formatCount(checks.length, 'check')}: latest score ${formatScore(scores[0] ?? 0)}, ` +
    `lowest ${formatScore(Math.min(...scores))}, highest ${formatScore(Math.max(...scores))}; ` +
    `drift detected in ${driftedCount}. Threshold ${threshold}.`
  );
}

interface DriftHistoryChartProps {
  /** Newest first, at least one. */
  checks: readonly DriftCheck[];
  threshold: number;
}

/** Scores over time, with the threshold as a horizontal line. */
export function DriftHistoryChart({ checks, threshold }: DriftHistoryChartProps) {
  const data = checks
    .toReversed()
    .map(({ checkedAt, driftScore }) => ({ at: Date.parse(checkedAt), Score: driftScore }));
  const time = timeAxis(data[0]?.at ?? 0, data.at(-1)?.at ?? 0);
  const scores = scoreAxis(Math.max(threshold, ...data.map(({ Score }) => Score)));
  return (
    <Box role="img" aria-label={summary(checks, threshold)}>
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
        yAxisProps={{ domain: [0, scores.at(-1) ?? 1], ticks: scores, width: 48 }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? formatExactTime(at) : null) }}
        lineChartProps={{ accessibilityLayer: false }}
      />
    </Box>
  );
}
