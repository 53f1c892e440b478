import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { absolute } from '../../components/relative-time.tsx';
import { scoreAxis, timeAxis } from './chart-axes.ts';
import type { DriftCheck } from './use-drift.ts';

/** More points than this stand too close for dots. */
const MAX_DOTS = 60;

const scoreText = (score: number): string => score.toFixed(2);

/** What the line shows, for those who do not see it. */
function summary(checks: readonly DriftCheck[], threshold: number): string {
  const scores = checks.map(({ driftScore }) => driftScore);
  const above = checks.filter(({ isDrifted }) => isDrifted).length;
  return (
    `Line chart of ${checks.length} checks: the latest score is ${scoreText(scores[0] ?? 0)}, ` +
    `the lowest ${scoreText(Math.min(...scores))}, the highest ${scoreText(Math.max(...scores))}; ` +
    `${above} found drift. The threshold is ${threshold}.`
  );
}

/** Scores over time, and the threshold as a line across. `checks`: newest first, at least one. */
export function HistoryChart({ checks, threshold }: { checks: readonly DriftCheck[]; threshold: number }) {
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
        valueFormatter={scoreText}
        referenceLines={[{ y: threshold, label: `Threshold ${threshold}`, color: 'red.7' }]}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          ticks: time.ticks,
          tickFormatter: time.format,
        }}
        yAxisProps={{ domain: [0, scores.at(-1) ?? 1], ticks: scores, width: 48 }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? absolute.format(at) : null) }}
        lineChartProps={{ accessibilityLayer: false }}
      />
    </Box>
  );
}
