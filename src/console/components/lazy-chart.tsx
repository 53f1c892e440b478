import { Skeleton } from '@mantine/core';
import { type ComponentType, Suspense } from 'react';
import { lazyComponent } from '../lazy-component.ts';

/** Returns a component that loads a chart, and with it the chart library, when it is first shown. */
export function lazyChart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  heightPx: number,
): ComponentType<P> {
  const Chart = lazyComponent(load);
  return (props) => (
    <Suspense fallback={<Skeleton h={heightPx} aria-label="Loading the chart" />}>
      <Chart {...props} />
    </Suspense>
  );
}
