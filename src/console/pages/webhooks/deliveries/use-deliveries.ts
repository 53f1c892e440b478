import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type LiveRows, useLiveRows } from '../../../api/live-rows/use-live-rows.ts';
import { usePagePosition } from '../../../api/use-page-position.ts';
import { nextCursor, type Paging } from '../../../api/use-paged-list.ts';
import { useSession } from '../../../session.tsx';
import { DELIVERIES, DELIVERY_CHANGES, type Delivery, type DeliveryFilter } from '../delivery-queries.ts';

const PAGE_SIZE = 50;

interface DeliveriesOptions {
  filter: DeliveryFilter;
  /** Stops the live updates. */
  paused: boolean;
}

interface Deliveries extends LiveRows<Delivery> {
  paging: Paging;
  error: unknown;
}

/** Loads a page of deliveries and keeps it up to date. */
export function useDeliveries({ filter, paused }: DeliveriesOptions): Deliveries {
  const position = usePagePosition();
  const { after } = position;
  const { call, customerId } = useSession();
  const queryKey = ['deliveries', customerId, filter, after];
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      const requestedAt = performance.now();
      const { webhookDeliveries } = await call(DELIVERIES, { first: PAGE_SIZE, after, ...filter });
      const rows = webhookDeliveries.edges.map(({ node }) => node);
      const next = nextCursor(webhookDeliveries);
      return { rows, next, isComplete: next === null, requestedAt };
    },
    placeholderData: keepPreviousData,
    // Changes are buffered for the shown page only, so a cached page may be outdated.
    staleTime: 0,
    // The subscription reports all changes, and a refetch on focus would move the rows.
    refetchOnWindowFocus: false,
  });
  const { endpointId, status, event } = filter;
  const liveRows = useLiveRows(
    {
      document: DELIVERY_CHANGES,
      variables: { endpointId },
      rowOf: ({ webhookDeliveryUpdated }) => webhookDeliveryUpdated,
    },
    {
      loaded: query.data,
      showsNewest: after === null && !query.isPlaceholderData,
      paused,
      queryKey,
      refetch: query.refetch,
      // IDs increase with time.
      orderOf: ({ id }) => id,
      matches: (delivery) =>
        (endpointId === null || delivery.endpointId === endpointId) &&
        (status === null || delivery.status === status) &&
        (event === null || delivery.event === event),
    },
  );
  return {
    ...liveRows,
    paging: { position, next: query.data?.next ?? null, loadingPage: query.isPlaceholderData },
    error: query.error,
  };
}
