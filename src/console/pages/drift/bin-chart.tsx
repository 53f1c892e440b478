import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box } from '@mantine/core';
import { formatCount, formatShare } from '../../format.ts';
import { binLabel } from './drift-format.ts';
import type { DriftBin } from './drift-queries.ts';

/** With more categories, their bars would not be distinguishable. */
const MAX_CHART_CATEGORIES = 12;
/** A longer label would leave the screen of a phone; the table shows it completely. */
const MAX_LABEL_LENGTH = 14;
const AXIS_HEIGHT_PX = 84;

const shorten = (label: string): string =>
  label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH - 1)}…` : label;

/** Shares of the bins in both sets. @param bins largest contribution first */
export default function BinChart({ bins }: { bins: readonly DriftBin[] }) {
  const shown = chartBins(bins);
  return (
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
  );
}

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
