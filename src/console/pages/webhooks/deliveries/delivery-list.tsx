import { Group, Stack } from '@mantine/core';
import { IconFilterOff, IconSend } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useLivePagedList } from '../../../api/live-rows/use-live-paged-list.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import type { ListQuery } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { InvalidParamsAlert } from '../../../components/invalid-params-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { NewRowsButton } from '../../../components/new-rows-button.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { type Session, useSession } from '../../../session/session.tsx';
import { useEndpoints } from '../endpoints/use-endpoints.ts';
import { DeliveryFilters, useDeliveryView } from './delivery-filters.tsx';
import {
  DELIVERIES,
  DELIVERIES_WITH_SUBJECTS,
  DELIVERY_CHANGES,
  type DeliveryFilter,
  isSearch,
  type ListedDelivery,
  matchesFilter,
  needsPayload,
} from './delivery-queries.ts';
import { DeliveryTable, DeliveryTableSkeleton } from './delivery-table.tsx';
import { ExplainEvent } from './explain-event.tsx';

const PAGE_SIZE = 50;
/** Refresh of a list that updates cannot keep up to date; a search stays as it was found. */
const POLL_MS = 10_000;

interface DeliveriesOptions {
  filter: DeliveryFilter;
  paused: boolean;
}

export function deliveryList(
  { call, canRead, customerId }: Session,
  filter: DeliveryFilter,
): ListQuery<ListedDelivery> {
  const document = canRead('events', 'conversations') ? DELIVERIES_WITH_SUBJECTS : DELIVERIES;
  return {
    key: queryKeys.deliveries(customerId, filter),
    loadPage: async (after) =>
      (await call(document, { first: PAGE_SIZE, after, ...filter })).webhookDeliveries,
  };
}

/** Loads a page of deliveries and keeps it up to date. */
function useDeliveries({ filter, paused }: DeliveriesOptions) {
  // Updates do not tell whether the delivery has the text or the conversation.
  const polled = needsPayload(filter);
  return useLivePagedList(
    deliveryList(useSession(), filter),
    {
      document: DELIVERY_CHANGES,
      variables: { endpointId: filter.endpointId },
      rowOf: ({ webhookDeliveryUpdated }) => webhookDeliveryUpdated,
    },
    {
      paused: paused || polled,
      refetchInterval: polled && !isSearch(filter) ? POLL_MS : false,
      // IDs increase with time.
      orderOf: ({ id }) => id,
      matches: (delivery) => matchesFilter(filter, delivery),
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
  const { filter, invalid, setFilter, clearFilters } = useDeliveryView(endpointId);
  const [paused, setPaused] = useState(false);
  const deliveries = useDeliveries({ filter, paused });
  const { rows, loading, error, live, list, loaded, position } = deliveries;
  const subjects = useMemo(
    () => new Map(loaded?.rows.map(({ id, sourceEvent }) => [id, sourceEvent ?? null])),
    [loaded],
  );
  const isEmpty = !loading && !error && rows.length === 0;
  const endpoints = useEndpoints().data;
  const allEndpoints = endpointId === null;
  const isFiltered = Object.values({ ...filter, ...(!allEndpoints && { endpointId: null }) }).some(
    (value) => value !== null,
  );

  return (
    <Stack ref={list} tabIndex={-1} gap="md" style={{ scrollMarginTop: 72 }}>
      <InvalidParamsAlert params={invalid} />
      <Group align="flex-end" justify="space-between" gap="sm">
        <DeliveryFilters
          filter={filter}
          setFilter={setFilter}
          clear={isFiltered ? clearFilters : null}
          endpoints={allEndpoints ? (endpoints ?? []) : undefined}
        />
        {!needsPayload(filter) && <LiveBadge live={live} pause={{ paused, setPaused }} />}
      </Group>
      <PagedRows label="deliveries" list={deliveries}>
        <ErrorAlert error={error} />
        {loading && <DeliveryTableSkeleton />}
        {rows.length > 0 && (
          <div>
            <NewRowsButton live={deliveries} singular="delivery" plural="deliveries" />
            <DeliveryTable
              rows={rows}
              subjects={subjects}
              endpoints={endpoints ?? 'loading'}
              hasEndpointColumn={allEndpoints}
            />
          </div>
        )}
        {isEmpty && isFiltered && (
          <EmptyState icon={IconFilterOff} title="No matching deliveries">
            {filter.eventId !== null && isEventOnly(filter) ? (
              <EventWithoutDelivery eventId={filter.eventId} endpointId={filter.endpointId} />
            ) : isSearch(filter) ? (
              'None of the newest 5,000 deliveries that the other filters include. Choose an earlier time range, or change the text.'
            ) : (
              'Change or clear the filters.'
            )}
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

/** True if only the event and its endpoint can be the reason for an empty list. */
const isEventOnly = ({ endpointId: _endpoint, eventId: _event, ...others }: DeliveryFilter): boolean =>
  Object.values(others).every((value) => value === null);

interface EventWithoutDeliveryProps {
  eventId: string;
  /** Null while no endpoint is selected. */
  endpointId: number | null;
}

/** Leads to the reason why an endpoint did not receive an event. */
const EventWithoutDelivery = ({ eventId, endpointId }: EventWithoutDeliveryProps) =>
  endpointId === null ? (
    'Select an endpoint to see why it did not receive the event, or clear the other filters.'
  ) : (
    <ExplainEvent key={eventId} endpointId={endpointId} eventId={eventId} />
  );
