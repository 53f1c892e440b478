import { Chart } from '../../components/chart/chart.tsx';
import { bandCenter } from '../../components/chart/scale.ts';
import { formatCount, formatShare } from '../../format.ts';
import { binLabel, shorten } from './drift-format.ts';
import type { DriftBin } from './drift-queries.ts';

/** With more categories, their bars would not be distinguishable. */
const MAX_CHART_CATEGORIES = 12;
/** A longer label would leave the screen of a phone; the table shows it completely. */
const MAX_LABEL_LENGTH = 14;

/** Shares of the bins in both sets. @param bins largest contribution first */
export function BinChart({ bins }: { bins: readonly DriftBin[] }) {
  const shown = chartBins(bins);
  const points = shown.map((bin, index) => ({
    x: bandCenter(index, shown.length),
    title: shorten(binLabel(bin), MAX_LABEL_LENGTH),
  }));
  return (
    <Chart
      label={`Bar chart of the share of each bin in both sets: ${shown.length} of ${formatCount(bins.length, 'bin')}. The table below has all of them.`}
      heightPx={300}
      form="bars"
      points={points}
      series={[
        { name: 'Reference', color: 'gray-6', values: shown.map(({ reference }) => reference.share) },
        { name: 'Current', color: 'indigo-6', values: shown.map(({ current }) => current.share) },
      ]}
      xLabels={points.map(({ x, title }) => ({ x, text: title }))}
      isSlanted
      formatValue={formatShare}
    />
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
