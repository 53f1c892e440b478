import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Table, Text, Title } from '@mantine/core';
import { DataTable } from '../../components/data-table.tsx';
import { LongText } from '../../components/long-text.tsx';
import { formatCount } from '../../format.ts';
import { binLabel, formatScore, formatShare } from './drift-format.ts';
import type { DriftBin, DriftFeature } from './drift-queries.ts';

/** With more categories, their bars would not be distinguishable. */
const MAX_CHART_CATEGORIES = 12;
/** A longer label would leave the screen of a phone; the table shows it completely. */
const MAX_LABEL_LENGTH = 14;
const AXIS_HEIGHT_PX = 84;

const shorten = (label: string): string =>
  label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH - 1)}…` : label;

const hasRange = (bins: readonly DriftBin[]): boolean =>
  bins.some(({ lower, upper }) => lower !== null || upper !== null);

/** Histograms of both sets as a chart, and as a table of the bins with the largest contribution to the score first. */
export function FeatureHistogram({ bins, otherCategories }: Pick<DriftFeature, 'bins' | 'otherCategories'>) {
  const shown = chartBins(bins);
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Distribution in both sets
      </Title>
      <Box
        role="img"
        aria-label={`Bar chart of the share of each bin in both sets: ${shown.length} of ${formatCount(bins.length, 'bin')}. The table below has all of them.`}
      >
        <BarChart
          h={300}
          data={shown.map((bin) => ({
            bin: binLabel(bin),
            Reference: bin.reference.share,
            Current: bin.current.share,
          }))}
          dataKey="bin"
          series={[
            { name: 'Reference', color: 'gray.6' },
            { name: 'Current', color: 'indigo.6' },
          ]}
          withLegend
          valueFormatter={formatShare}
          xAxisProps={{
            interval: 0,
            angle: -40,
            textAnchor: 'end',
            height: AXIS_HEIGHT_PX,
            tickFormatter: shorten,
          }}
          tooltipProps={{ labelFormatter: (label) => shorten(String(label)) }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </Box>
      <Title order={3} size="h5" mt="md" mb={4}>
        What moved
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        The contributions add up to the score.
        {hasRange(bins) && ' A range excludes its lower end and includes its upper end.'}
      </Text>
      <DataTable label="Bins" minWidthPx={520} head={['Bin', 'Contribution', 'Reference', 'Current']}>
        {bins.map((bin) => (
          <BinRow key={JSON.stringify([bin.lower, bin.upper, bin.category, bin.missing])} {...bin} />
        ))}
        {otherCategories && (
          <Table.Tr>
            <Table.Td>{formatCount(otherCategories.count, 'other category', 'other categories')}</Table.Td>
            <Table.Td className="mono">{formatScore(otherCategories.contribution)}</Table.Td>
            <Table.Td colSpan={2} />
          </Table.Tr>
        )}
      </DataTable>
    </div>
  );
}

/** `61.7% (1,147 rows)`. */
const formatBinCount = ({ count, share }: DriftBin['current']): string =>
  `${formatShare(share)} (${formatCount(count, 'row')})`;

const BinRow = ({ reference, current, contribution, ...bin }: DriftBin) => (
  <Table.Tr>
    <Table.Td miw={130}>
      <LongText>{binLabel(bin)}</LongText>
    </Table.Td>
    <Table.Td className="mono">{formatScore(contribution)}</Table.Td>
    <Table.Td className="mono">{formatBinCount(reference)}</Table.Td>
    <Table.Td className="mono">{formatBinCount(current)}</Table.Td>
  </Table.Tr>
);

const isRange = ({ category, missing }: DriftBin): boolean => category === null && !missing;

/**
 * Returns the bins of a chart: ranges in ascending order, the categories that moved most, and the rows without a value.
 *
 * @param bins largest contribution first
 */
function chartBins(bins: readonly DriftBin[]): DriftBin[] {
  const start = ({ lower }: DriftBin): number => lower ?? Number.NEGATIVE_INFINITY;
  return [
    ...bins.filter(isRange).toSorted((a, b) => start(a) - start(b)),
    ...bins.filter(({ category }) => category !== null).slice(0, MAX_CHART_CATEGORIES),
    ...bins.filter(({ missing }) => missing),
  ];
}
