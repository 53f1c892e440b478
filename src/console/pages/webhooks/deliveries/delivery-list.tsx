import { Group, Stack } from '@mantine/core';
import { IconFilterOff, IconSend } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { nameOf, useEndpoints } from '../endpoints/use-endpoints.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryPager } from './delivery-pager.tsx';
import { DeliveriesLoading, DeliveryTable } from './delivery-table.tsx';
import { HeldBack } from './new-deliveries-button.tsx';
import { useDeliveries } from './use-deliveries.ts';
import { useDeliveryView } from './use-delivery-view.ts';

interface DeliveryListProps {
  /** The endpoint that the page is about; null: all of them. */
  endpointId: number | null;
  /** What to do when there are none at all. */
  whenEmpty: ReactNode;
}

const isPastTop = (list: HTMLElement | null): boolean => (list?.getBoundingClientRect().top ?? 0) < 0;

/** Whether the reader is past the top of the list, or at one of its rows. */
const isReading = (list: HTMLElement | null): boolean =>
  isPastTop(list) || list?.querySelector('tbody')?.matches(':hover, :focus-within') === true;

/** Deliveries, newest first, a page at a time, following what happens. */
export function DeliveryList({ endpointId, whenEmpty }: DeliveryListProps) {
  const view = useDeliveryView(endpointId);
  const { filter, after, narrow } = view;
  const [paused, setPaused] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const { rows, next, error, turning, live, heldBack, showArrivals } = useDeliveries({
    filter,
    after,
    paused,
    isHeld: () => isReading(list.current),
  });
  const endpoints = useEndpoints().data;
  const all = endpointId === null;
  const narrowed = filter.status !== null || filter.event !== null || (all && filter.endpointId !== null);
  const names = all ? new Map(endpoints?.map((endpoint) => [endpoint.id, nameOf(endpoint)])) : undefined;

  return (
    <Stack ref={list} gap="md" style={{ scrollMarginTop: 72 }}>
      <Group align="flex-end" justify="space-between" gap="sm">
        <DeliveryFilters filter={filter} narrow={narrow} endpoints={all ? (endpoints ?? []) : undefined} />
        <LiveBadge live={live} paused={paused} onPause={setPaused} />
      </Group>
      <ErrorNote error={error} />
      {!rows && !error && <DeliveriesLoading />}
      {rows && rows.length > 0 && (
        <div>
          <HeldBack
            count={heldBack}
            show={() => {
              showArrivals();
              if (isPastTop(list.current)) list.current?.scrollIntoView();
            }}
          />
          <DeliveryTable rows={rows} endpoints={names} turning={turning} />
        </div>
      )}
      {rows?.length === 0 && narrowed && (
        <EmptyState icon={IconFilterOff} title="No delivery is like that">
          Choose another status, event or endpoint above.
        </EmptyState>
      )}
      {rows?.length === 0 && !narrowed && (
        <EmptyState icon={IconSend} title="No deliveries yet">
          {whenEmpty}
        </EmptyState>
      )}
      <DeliveryPager view={view} next={next} />
    </Stack>
  );
}
