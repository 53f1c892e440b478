import { Group, Stack } from '@mantine/core';
import { IconFilterOff, IconSend } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { endpointName, useEndpoints } from '../endpoints/use-endpoints.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable, DeliveryTableSkeleton } from './delivery-table.tsx';
import { NewDeliveriesButton } from './new-deliveries-button.tsx';
import { useDeliveries } from './use-deliveries.ts';
import { useDeliveryView } from './use-delivery-view.ts';

interface DeliveryListProps {
  /** Shows the deliveries of one endpoint; null: of all endpoints. */
  endpointId: number | null;
  /** The next step for the user if there are no deliveries. */
  whenEmpty: ReactNode;
}

const isScrolledPastTop = (list: HTMLElement | null): boolean => (list?.getBoundingClientRect().top ?? 0) < 0;

const isUserReading = (list: HTMLElement | null): boolean =>
  isScrolledPastTop(list) || list?.querySelector('tbody')?.matches(':hover, :focus-within') === true;

/** Deliveries with filters, live updates and paging, newest first. */
export function DeliveryList({ endpointId, whenEmpty }: DeliveryListProps) {
  const { filter, setFilter } = useDeliveryView(endpointId);
  const [paused, setPaused] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const { rows, paging, error, live, hiddenCount, showNewDeliveries } = useDeliveries({
    filter,
    paused,
    isUserReading: () => isUserReading(list.current),
  });
  const endpoints = useEndpoints().data;
  const allEndpoints = endpointId === null;
  const isFiltered =
    filter.status !== null || filter.event !== null || (allEndpoints && filter.endpointId !== null);
  const endpointNames = allEndpoints
    ? new Map(endpoints?.map((endpoint) => [endpoint.id, endpointName(endpoint)]))
    : undefined;

  return (
    <Stack ref={list} gap="md" style={{ scrollMarginTop: 72 }}>
      <Group align="flex-end" justify="space-between" gap="sm">
        <DeliveryFilters
          filter={filter}
          setFilter={setFilter}
          endpoints={allEndpoints ? (endpoints ?? []) : undefined}
        />
        <LiveBadge live={live} pause={{ paused, setPaused }} />
      </Group>
      <PagedRows label="deliveries" list={paging}>
        <ErrorAlert error={error} />
        {!rows && !error && <DeliveryTableSkeleton />}
        {rows && rows.length > 0 && (
          <div>
            <NewDeliveriesButton
              count={hiddenCount}
              show={() => {
                showNewDeliveries();
                if (isScrolledPastTop(list.current)) list.current?.scrollIntoView();
              }}
            />
            <DeliveryTable rows={rows} endpointNames={endpointNames} />
          </div>
        )}
        {rows?.length === 0 && isFiltered && (
          <EmptyState icon={IconFilterOff} title="No matching deliveries">
            Change or clear the filters.
          </EmptyState>
        )}
        {rows?.length === 0 && !isFiltered && (
          <EmptyState icon={IconSend} title="No deliveries yet">
            {whenEmpty}
          </EmptyState>
        )}
      </PagedRows>
    </Stack>
  );
}
