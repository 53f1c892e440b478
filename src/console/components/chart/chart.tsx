import { Box, Group, Paper, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, type ReactNode, useState } from 'react';
import { HorizontalAxis, type Label, Mark, Threshold, VerticalAxis, VerticalLine } from './axes.tsx';
import { type Plot, plotOf, ticksTo } from './scale.ts';
import { Bars, Lines, type Point, type Series, sumAt, themeColor } from './series.tsx';

const LEFT_PX = 60;
const RIGHT_PX = 8;
/** Room for the label of a threshold at the highest tick. */
const TOP_PX = 20;
const BOTTOM_PX = 26;
const SLANTED_BOTTOM_PX = 84;
const FONT_PX = 12;

interface ChartProps {
  /** Description for screen readers; a table beside the chart has its values. */
  label: string;
  heightPx: number;
  form: 'lines' | 'bars' | 'stack';
  points: readonly Point[];
  series: readonly Series[];
  /** Labels of the horizontal axis, evenly spaced. */
  xLabels: readonly Label[];
  /** Shows all labels, at an angle. */
  isSlanted?: boolean;
  formatValue: (value: number) => string;
  /** Smallest distance of the ticks of the vertical axis: 1 for counts. */
  minStep?: number;
  /** Shown as a horizontal line. */
  threshold?: { value: number; label: string };
  /** Shown as vertical lines. */
  marks?: readonly Label[];
}

/** A chart, with the values below the pointer. */
export function Chart({
  label,
  heightPx,
  form,
  points,
  series,
  xLabels,
  isSlanted = false,
  formatValue,
  minStep,
  threshold,
  marks = [],
}: ChartProps) {
  const { ref, width: widthPx } = useElementSize();
  const [pointerX, setPointerX] = useState<number | null>(null);
  const values =
    form === 'stack'
      ? points.map((_, index) => sumAt(series, index))
      : series.flatMap((line) => line.values.map((value) => value ?? 0));
  const ticks = ticksTo(Math.max(threshold?.value ?? 0, ...values), minStep);
  const edges = {
    left: LEFT_PX,
    right: widthPx - RIGHT_PX,
    top: TOP_PX,
    bottom: heightPx - (isSlanted ? SLANTED_BOTTOM_PX : BOTTOM_PX),
  };
  const plot = plotOf(edges, ticks.at(-1) ?? 1);
  const hovered = pointerX === null ? null : nearestPoint(points, plot, pointerX);
  return (
    <Box role="img" aria-label={label}>
      <Box
        ref={ref}
        pos="relative"
        h={heightPx}
        onPointerMove={({ clientX, currentTarget }: PointerEvent) =>
          setPointerX(clientX - currentTarget.getBoundingClientRect().left)
        }
        onPointerLeave={() => setPointerX(null)}
      >
        {edges.right > edges.left && (
          <svg width={widthPx} height={heightPx} fontSize={FONT_PX} display="block" aria-hidden>
            <VerticalAxis ticks={ticks} plot={plot} format={formatValue} />
            <HorizontalAxis labels={xLabels} plot={plot} isSlanted={isSlanted} />
            {form === 'lines' ? (
              <Lines points={points} series={series} plot={plot} />
            ) : (
              <Bars points={points} series={series} plot={plot} isStacked={form === 'stack'} />
            )}
            {threshold && <Threshold {...threshold} plot={plot} />}
            {marks.map((mark) => (
              <Mark key={`${mark.x} ${mark.text}`} {...mark} plot={plot} />
            ))}
            {hovered && (
              <g stroke="var(--mantine-color-dimmed)">
                <VerticalLine x={plot.x(hovered.x)} plot={plot} />
              </g>
            )}
          </svg>
        )}
        {hovered && <Tooltip {...hovered} series={series} plot={plot} formatValue={formatValue} />}
      </Box>
      {series.length > 1 && (
        <Group gap="md" justify="flex-end" mt={4}>
          {series.map(({ name, color }) => (
            <SeriesText key={name} color={color}>
              {name}
            </SeriesText>
          ))}
        </Group>
      )}
    </Box>
  );
}

interface IndexedPoint extends Point {
  index: number;
}

/** @param pointerX distance from the left in pixels */
function nearestPoint(points: readonly Point[], plot: Plot, pointerX: number): IndexedPoint | null {
  const distance = ({ x }: Point): number => Math.abs(plot.x(x) - pointerX);
  return points
    .map((point, index) => ({ ...point, index }))
    .reduce<IndexedPoint | null>(
      (nearest, point) => (nearest && distance(nearest) <= distance(point) ? nearest : point),
      null,
    );
}

interface TooltipProps extends IndexedPoint, Pick<ChartProps, 'series' | 'formatValue'> {
  plot: Plot;
}

/** Title and values of a point, in the half of the chart where the pointer is not. */
const Tooltip = ({ x, title, index, series, plot, formatValue }: TooltipProps) => (
  <Paper
    withBorder
    shadow="md"
    p="xs"
    pos="absolute"
    top={plot.top}
    {...(x > 0.5 ? { left: plot.left + RIGHT_PX } : { right: 2 * RIGHT_PX })}
    style={{ pointerEvents: 'none' }}
  >
    <Text size="sm" fw={500}>
      {title}
    </Text>
    {series.map(({ name, color, values }) => {
      const value = values[index] ?? null;
      return value === null ? null : (
        <SeriesText key={name} color={color}>
          {name}: {formatValue(value)}
        </SeriesText>
      );
    })}
  </Paper>
);

const SeriesText = ({ color, children }: { color: string; children: ReactNode }) => (
  <Group gap={6} wrap="nowrap">
    <Box w={10} h={10} bg={themeColor(color)} style={{ borderRadius: 5, flexShrink: 0 }} />
    <Text size="sm">{children}</Text>
  </Group>
);
