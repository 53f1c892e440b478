import { Group, Stack } from '@mantine/core';
import { IconFilterOff, IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { NewRowsButton } from '../../../components/new-rows-button.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { endpointName, useEndpoints } from '../endpoints/use-endpoints.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable, DeliveryTableSkeleton } from './delivery-table.tsx';
import { useDeliveries } from './use-deliveries.ts';
import { useDeliveryView } from './use-delivery-view.ts';

interface DeliveryListProps {
  /** Shows the deliveries of one endpoint; null: of all endpoints. */
  endpointId: number | null;
  /** The next step for the user if there are no deliveries. */
  whenEmpty: ReactNode;
}

/** Deliveries with filters, live updates and paging, newest first. */
export function DeliveryList({ endpointId, whenEmpty }: DeliveryListProps) {
  const { filter, setFilter } = useDeliveryView(endpointId);
  const [paused, setPaused] = useState(false);
  const deliveries = useDeliveries({ filter, paused });
  const { rows, loading, error, live, list, position } = deliveries;
  const isEmpty = !loading && !error && rows.length === 0;
  const endpoints = useEndpoints().data;
  const allEndpoints = endpointId === null;
  const isFiltered =
    filter.status !== null || filter.event !== null || (allEndpoints && filter.endpointId !== null);
  const endpointNames = allEndpoints
    ? new Map(endpoints?.map((endpoint) => [endpoint.id, endpointName(endpoint)]))
    : undefined;

  return (
    <Stack ref={list} tabIndex={-1} gap="md" style={{ scrollMarginTop: 72 }}>
      <Group align="flex-end" justify="space-between" gap="sm">
        <DeliveryFilters
          filter={filter}
          setFilter={setFilter}
          endpoints={allEndpoints ? (endpoints ?? []) : undefined}
        />
        <LiveBadge live={live} pause={{ paused, setPaused }} />
      </Group>
      <PagedRows label="deliveries" list={deliveries}>
        <ErrorAlert error={error} />
        {loading && <DeliveryTableSkeleton />}
        {rows.length > 0 && (
          <div>
            <NewRowsButton live={deliveries} singular="delivery" plural="deliveries" />
            <DeliveryTable rows={rows} endpointNames={endpointNames} />
          </div>
        )}
        {isEmpty && isFiltered && (
          <EmptyState icon={IconFilterOff} title="No matching deliveries">
            Change or clear the filters.
          </EmptyState>
        )}
        {isEmpty && !isFiltered && (
          <EmptyState
            icon={IconSend}
            title={position.after === null ? 'No deliveries yet' : 'No further deliveries'}
          >
            {position.after === null ? whenEmpty : 'Return to the newest page.'}
          </EmptyState>
        )}
      </PagedRows>
    </Stack>
  );
}
