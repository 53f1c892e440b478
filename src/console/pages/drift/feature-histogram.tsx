import { Table, Text, Title } from '@mantine/core';
import { DataTable } from '../../components/data-table.tsx';
import { LongText } from '../../components/long-text.tsx';
import { formatCount, formatShare } from '../../format.ts';
import { BinChart } from './bin-chart.tsx';
import { binLabel, formatScore } from './drift-format.ts';
import type { DriftBin, DriftFeature } from './drift-queries.ts';

const hasRange = (bins: readonly DriftBin[]): boolean =>
  bins.some(({ lower, upper }) => lower !== null || upper !== null);

/** Histograms of both sets as a chart, and as a table of the bins with the largest contribution to the score first. */
export function FeatureHistogram({ bins, otherCategories }: Pick<DriftFeature, 'bins' | 'otherCategories'>) {
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Distribution in both sets
      </Title>
      <BinChart bins={bins} />
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
