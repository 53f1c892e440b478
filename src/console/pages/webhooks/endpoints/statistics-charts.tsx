import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Chart } from '../../../components/chart/chart.tsx';
import { bandCenter } from '../../../components/chart/scale.ts';
import { formatCount, formatDuration, formatNumber } from '../../../format.ts';
import { useTimeFormat } from '../../../time-format.ts';
import { CHART_HEIGHT_PX, type EndpointStatistics, type HourStatistics } from './use-endpoint-statistics.ts';

/** Charts of the attempts by hour: results and durations. */
export function StatisticsCharts({ attempts, failedAttempts, steps }: EndpointStatistics) {
  const { formatClockTime, formatExactTime } = useTimeFormat();
  const hours = steps.map(({ startsAt }, index) => ({ startsAt, x: bandCenter(index, steps.length) }));
  const common = {
    heightPx: CHART_HEIGHT_PX,
    points: hours.map(({ startsAt, x }) => ({ x, title: formatExactTime(startsAt) })),
    xLabels: hours.map(({ startsAt, x }) => ({ x, text: formatClockTime(startsAt) })),
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <TitledChart title="Attempts by hour">
        <Chart
          {...common}
          label={`Bar chart of ${formatCount(attempts, 'attempt')} by hour, ${formatNumber(failedAttempts)} failed.`}
          form="stack"
          series={[
            {
              name: 'Succeeded',
              color: 'teal-6',
              values: steps.map((step) => step.attempts - step.failedAttempts),
            },
            { name: 'Failed', color: 'red-7', values: steps.map((step) => step.failedAttempts) },
          ]}
          formatValue={formatNumber}
          minStep={1}
        />
      </TitledChart>
      <TitledChart title="Duration of attempts by hour">
        <Chart
          {...common}
          label={describeDurations(steps)}
          form="lines"
          series={[
            { name: 'Median', color: 'indigo-6', values: steps.map(({ p50 }) => p50) },
            { name: '95th percentile', color: 'orange-7', values: steps.map(({ p95 }) => p95) },
          ]}
          formatValue={formatDuration}
        />
      </TitledChart>
    </SimpleGrid>
  );
}

const TitledChart = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="xs">
    <Title order={3} size="h6">
      {title}
    </Title>
    {children}
  </Stack>
);

function describeDurations(steps: readonly HourStatistics[]): string {
  const slowest = Math.max(...steps.flatMap(({ p95 }) => p95 ?? []));
  return `Line chart of the duration of attempts by hour; highest 95th percentile ${formatDuration(slowest)}.`;
}
