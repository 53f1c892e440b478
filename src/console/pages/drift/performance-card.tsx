import { Card, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber, formatOptional, formatShare } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { DriftPerformanceQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { formatScore } from './drift-format.ts';
import { type Samples, useModel } from './drift-queries.ts';

const PERFORMANCE = graphql(`
  query DriftPerformance($stage: String, $model: String) {
    driftPerformance(stage: $stage, model: $model) {
      isProbabilistic
      weeks {
        week
        rows
        outcomes
        calibrationError
        auc
        accuracy
        estimatedAccuracy
      }
    }
  }
`);

type Performance = DriftPerformanceQuery['driftPerformance'];

const HEAD = ['Week of', 'Rows', 'Outcomes', 'Accuracy', 'Estimated accuracy', 'AUC', 'Calibration error'];

// Weeks begin at 0:00 UTC: in the zone of a browser, the date could be a day earlier.
const weekFormat = new Intl.DateTimeFormat([...navigator.languages], {
  dateStyle: 'medium',
  timeZone: 'UTC',
});

export const driftPerformanceQuery = ({ call }: Session, { model, stage }: Samples) => ({
  queryKey: queryKeys.driftPerformance(model, stage),
  queryFn: async () => (await call(PERFORMANCE, { stage, model })).driftPerformance,
});

/** Performance of the model by week, latest first: measured with the outcomes, and estimated without them. */
export function PerformanceCard({ stage }: { stage: string | null }) {
  const { data, error } = useQuery(driftPerformanceQuery(useSession(), { model: useModel(), stage }));
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Performance by week
      </Title>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={60} aria-label="Loading the performance" />}
      {data && data.weeks.length === 0 && <Text size="sm">{explainAbsence(data)}</Text>}
      {data && data.weeks.length > 0 && (
        <>
          <Text size="sm" c="dimmed" mb="md">
            Accuracy, AUC and calibration error need outcomes. The estimated accuracy is what the predictions
            imply without outcomes (CBPE).
          </Text>
          <DataTable label="Performance by week" minWidthPx={760} head={HEAD}>
            {data.weeks.toReversed().map((week) => (
              <WeekRow key={week.week} {...week} />
            ))}
          </DataTable>
        </>
      )}
    </Card>
  );
}

/** Explains why there are no weeks. */
const explainAbsence = ({ isProbabilistic }: Performance): string =>
  isProbabilistic === false
    ? 'No performance: it requires probabilities as predictions, and outcomes that are false or true.'
    : 'No performance: the sidecar does not report it, or there are no current rows.';

function WeekRow(week: Performance['weeks'][number]) {
  const { rows, outcomes, accuracy, estimatedAccuracy, auc, calibrationError } = week;
  return (
    <Table.Tr>
      <Table.Td>
        <time dateTime={week.week}>{weekFormat.format(new Date(week.week))}</time>
      </Table.Td>
      <Table.Td className="mono">{formatNumber(rows)}</Table.Td>
      <Table.Td className="mono">{formatNumber(outcomes)}</Table.Td>
      <Table.Td className="mono">{formatOptional(accuracy, formatShare)}</Table.Td>
      <Table.Td className="mono">{formatOptional(estimatedAccuracy, formatShare)}</Table.Td>
      <Table.Td className="mono">{formatOptional(auc, formatScore)}</Table.Td>
      <Table.Td className="mono">{formatOptional(calibrationError, formatScore)}</Table.Td>
    </Table.Tr>
  );
}
