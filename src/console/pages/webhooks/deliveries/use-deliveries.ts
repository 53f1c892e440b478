import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { usePagePosition } from '../../../api/use-page-position.ts';
import { nextCursor, type Paging } from '../../../api/use-paged-list.ts';
import { useSession } from '../../../session.tsx';
import { DELIVERIES, type Delivery, type DeliveryFilter } from '../delivery-queries.ts';
import { countNewDeliveries, currentRows, type DeliveryPage } from './merge-deliveries.ts';
import { useDeliveryChanges } from './use-delivery-changes.ts';

const PAGE_SIZE = 50;
/** Interval at which the list checks whether it can show new deliveries. */
const NEW_DELIVERIES_CHECK_MS = 500;

interface DeliveriesOptions {
  filter: DeliveryFilter;
  /** Stops the live updates. */
  paused: boolean;
  /** Returns true while new rows would move what the user is reading. */
  isUserReading: () => boolean;
}

interface Deliveries {
  /** Undefined while the first page loads. */
  rows: Delivery[] | undefined;
  paging: Paging;
  error: unknown;
  live: boolean;
  /** Number of new deliveries that are not shown because the user is reading. */
  hiddenCount: number;
  showNewDeliveries(): void;
}

/**
 * Loads a page of deliveries and keeps it up to date. Live changes update rows in place; new deliveries appear by a
 * refetch of the first page, but not while the user is reading.
 */
export function useDeliveries({ filter, paused, isUserReading }: DeliveriesOptions): Deliveries {
  const position = usePagePosition();
  const { after } = position;
  const { call, customerId } = useSession();
  const queryKey = ['deliveries', customerId, filter, after];
  const query = useQuery({
    queryKey,
    queryFn: async (): Promise<DeliveryPage> => {
      const requestedAt = performance.now();
      const { webhookDeliveries } = await call(DELIVERIES, { first: PAGE_SIZE, after, ...filter });
      const rows = webhookDeliveries.edges.map(({ node }) => node);
      return { rows, next: nextCursor(webhookDeliveries), requestedAt };
    },
    placeholderData: keepPreviousData,
    // Changes are buffered for the shown page only, so a cached page may be outdated.
    staleTime: 0,
    // The subscription reports all changes, and a refetch on focus would move the rows.
    refetchOnWindowFocus: false,
  });
  const page = query.data;
  const { live, changes } = useDeliveryChanges({
    endpointId: filter.endpointId,
    enabled: !paused,
    requestedAt: page?.requestedAt ?? 0,
    queryKey,
  });
  const showsNewest = after === null && !paused && !query.isPlaceholderData;
  const newCount = page && showsNewest ? countNewDeliveries(page, changes, filter) : 0;
  const latestIsUserReading = useRef(isUserReading);
  latestIsUserReading.current = isUserReading;
  const { refetch } = query;
  const hasNew = newCount > 0;
  const [holding, setHolding] = useState(false);

  useEffect(() => {
    if (!hasNew) return;
    const timer = setInterval(() => {
      const reading = latestIsUserReading.current();
      setHolding(reading);
      if (!reading) void refetch({ cancelRefetch: false });
    }, NEW_DELIVERIES_CHECK_MS);
    return () => clearInterval(timer);
  }, [hasNew, refetch]);

  return {
    rows: page && currentRows(page, changes),
    paging: { position, next: page?.next ?? null, loadingPage: query.isPlaceholderData },
    error: query.error,
    live,
    hiddenCount: holding ? newCount : 0,
    showNewDeliveries: () => void refetch(),
  };
}
