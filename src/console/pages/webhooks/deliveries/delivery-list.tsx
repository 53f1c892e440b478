import { Group, Stack } from '@mantine/core';
import { IconFilterOff, IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useLivePagedList } from '../../../api/live-rows/use-live-paged-list.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { InvalidParamsAlert } from '../../../components/invalid-params-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { NewRowsButton } from '../../../components/new-rows-button.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { useSession } from '../../../session/session.tsx';
import { useEndpoints } from '../endpoints/use-endpoints.ts';
import { DeliveryFilters, useDeliveryView } from './delivery-filters.tsx';
import { DELIVERIES, DELIVERY_CHANGES, type DeliveryFilter } from './delivery-queries.ts';
import { DeliveryTable, DeliveryTableSkeleton } from './delivery-table.tsx';

const PAGE_SIZE = 50;

interface DeliveriesOptions {
  filter: DeliveryFilter;
  paused: boolean;
}

/** Loads a page of deliveries and keeps it up to date. */
function useDeliveries({ filter, paused }: DeliveriesOptions) {
  const { call, customerId } = useSession();
  const { endpointId, status, event } = filter;
  return useLivePagedList(
    queryKeys.deliveries(customerId, filter),
    async (after) => (await call(DELIVERIES, { first: PAGE_SIZE, after, ...filter })).webhookDeliveries,
    {
      document: DELIVERY_CHANGES,
      variables: { endpointId },
      rowOf: ({ webhookDeliveryUpdated }) => webhookDeliveryUpdated,
    },
    {
      paused,
      // IDs increase with time.
      orderOf: ({ id }) => id,
      matches: (delivery) =>
        (endpointId === null || delivery.endpointId === endpointId) &&
        (status === null || delivery.status === status) &&
        (event === null || delivery.event === event),
    },
  );
}

interface DeliveryListProps {
  /** Shows the deliveries of one endpoint; null: of all endpoints. */
  endpointId: number | null;
  /** The next step for the user if there are no deliveries. */
  whenEmpty: ReactNode;
}

/** Deliveries with filters, live updates and paging, newest first. */
export function DeliveryList({ endpointId, whenEmpty }: DeliveryListProps) {
  const { filter, invalid, setFilter } = useDeliveryView(endpointId);
  const [paused, setPaused] = useState(false);
  const deliveries = useDeliveries({ filter, paused });
  const { rows, loading, error, live, list, position } = deliveries;
  const isEmpty = !loading && !error && rows.length === 0;
  const endpoints = useEndpoints().data;
  const allEndpoints = endpointId === null;
  const isFiltered =
    filter.status !== null || filter.event !== null || (allEndpoints && filter.endpointId !== null);

  return (
    <Stack ref={list} tabIndex={-1} gap="md" style={{ scrollMarginTop: 72 }}>
      <InvalidParamsAlert params={invalid} />
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
            <DeliveryTable rows={rows} endpoints={allEndpoints ? (endpoints ?? 'loading') : null} />
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
