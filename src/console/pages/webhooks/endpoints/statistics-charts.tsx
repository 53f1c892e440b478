import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Box, SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatDuration, formatNumber } from '../../../format.ts';
import { useTimeFormat } from '../../../time-format.ts';
import { CHART_HEIGHT_PX, type EndpointStatistics, type HourStatistics } from './use-endpoint-statistics.ts';

/** Charts of the attempts by hour: results and durations. */
export default function StatisticsCharts({ statistics }: { statistics: EndpointStatistics }) {
  const { formatClockTime, formatExactTime } = useTimeFormat();
  const common = {
    h: CHART_HEIGHT_PX,
    dataKey: 'startsAt',
    withLegend: true,
    xAxisProps: { tickFormatter: formatClockTime, minTickGap: 24 },
    tooltipProps: {
      // Without a hovered hour, the label is empty.
      labelFormatter: (at: ReactNode) => (at ? formatExactTime(String(at)) : null),
    },
  };
  const { attempts, failedAttempts, steps } = statistics;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Chart
        title="Attempts by hour"
        description={`Bar chart of ${formatCount(attempts, 'attempt')} by hour, ${formatNumber(failedAttempts)} failed.`}
      >
        <BarChart
          {...common}
          type="stacked"
          data={steps.map(({ startsAt, ...step }) => ({
            startsAt,
            Succeeded: step.attempts - step.failedAttempts,
            Failed: step.failedAttempts,
          }))}
          series={[
            { name: 'Succeeded', color: 'teal.6' },
            { name: 'Failed', color: 'red.7' },
          ]}
          valueFormatter={formatNumber}
          yAxisProps={{ allowDecimals: false, width: 48 }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </Chart>
      <Chart title="Duration of attempts by hour" description={describeDurations(steps)}>
        <LineChart
          {...common}
          data={steps.map(({ startsAt, p50, p95 }) => ({ startsAt, Median: p50, '95th percentile': p95 }))}
          series={[
            { name: 'Median', color: 'indigo.6' },
            { name: '95th percentile', color: 'orange.7' },
          ]}
          curveType="linear"
          connectNulls={false}
          valueFormatter={formatDuration}
          yAxisProps={{ width: 64 }}
          lineChartProps={{ accessibilityLayer: false }}
        />
      </Chart>
    </SimpleGrid>
  );
}

interface ChartProps {
  title: string;
  /** Text for screen readers; the table below the charts has all values. */
  description: string;
  children: ReactNode;
}

const Chart = ({ title, description, children }: ChartProps) => (
  <Stack gap="xs">
    <Title order={3} size="h6">
      {title}
    </Title>
    <Box role="img" aria-label={description}>
      {children}
    </Box>
  </Stack>
);

function describeDurations(steps: readonly HourStatistics[]): string {
  const slowest = Math.max(...steps.flatMap(({ p95 }) => p95 ?? []));
  return `Line chart of the duration of attempts by hour; highest 95th percentile ${formatDuration(slowest)}.`;
}
