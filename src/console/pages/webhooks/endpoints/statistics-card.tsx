import { Box, Card, Skeleton, Table, Title } from '@mantine/core';
import { ChartTable } from '../../../components/chart-table.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatCount, formatDuration, formatNumber, formatOptional } from '../../../format.ts';
import { useTimeFormat } from '../../../time-format.ts';
import { describeBacklog, describeSuccess } from './describe-statistics.ts';
import { StatisticsCharts } from './statistics-charts.tsx';
import {
  CHART_HEIGHT_PX,
  type EndpointStatistics,
  type HourStatistics,
  useEndpointStatistics,
} from './use-endpoint-statistics.ts';
import type { Endpoint } from './use-endpoints.ts';

/** How the last 24 hours of an endpoint went, and what waits for it now. */
export function StatisticsCard({ endpoint }: { endpoint: Endpoint }) {
  const { data, error } = useEndpointStatistics(endpoint.id);
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Last 24 hours
      </Title>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={CHART_HEIGHT_PX} aria-label="Loading the statistics" />}
      {data && (
        <>
          <DescriptionList
            columns={{ base: 2, md: 3, lg: 6 }}
            items={[
              ['Success rate', describeSuccess(data.statistics)],
              ['Deliveries', describeDeliveries(data.statistics)],
              ['Duration of attempts', describeDuration(data.statistics)],
              ['Backlog', describeBacklog(endpoint, data)],
              [
                'Oldest waiting',
                data.oldestWaitingAt && <RelativeTime key="oldest" at={data.oldestWaitingAt} />,
              ],
              [
                'First failure',
                data.statistics.failingSince && (
                  <RelativeTime key="failure" at={data.statistics.failingSince} />
                ),
              ],
            ]}
          />
          <HourlyResults statistics={data.statistics} />
        </>
      )}
    </Card>
  );
}

const describeDeliveries = ({ succeeded, failed }: EndpointStatistics): string =>
  `${formatNumber(succeeded)} succeeded, ${formatNumber(failed)} failed`;

const describeDuration = ({ p50, p95 }: EndpointStatistics): string | null =>
  p50 === null || p95 === null ? null : `p95 ${formatDuration(p95)}, median ${formatDuration(p50)}`;

const HEAD = ['Hour', 'Attempts', 'Failed', 'Median', '95th percentile'];

function HourlyResults({ statistics }: { statistics: EndpointStatistics }) {
  if (statistics.attempts === 0) return null;
  return (
    <>
      <Box mt="lg">
        <StatisticsCharts {...statistics} />
      </Box>
      <ChartTable
        label="Attempts by hour"
        rows={formatCount(statistics.steps.length, 'hour')}
        minWidthPx={520}
        head={HEAD}
      >
        {statistics.steps.toReversed().map((step) => (
          <HourRow key={step.startsAt} {...step} />
        ))}
      </ChartTable>
    </>
  );
}

function HourRow({ startsAt, attempts, failedAttempts, p50, p95 }: HourStatistics) {
  const { formatDateTime } = useTimeFormat();
  return (
    <Table.Tr>
      <Table.Td>{formatDateTime(startsAt)}</Table.Td>
      <Table.Td className="mono">{formatNumber(attempts)}</Table.Td>
      <Table.Td className="mono">{formatNumber(failedAttempts)}</Table.Td>
      <Table.Td className="mono">{formatOptional(p50, formatDuration)}</Table.Td>
      <Table.Td className="mono">{formatOptional(p95, formatDuration)}</Table.Td>
    </Table.Tr>
  );
}
