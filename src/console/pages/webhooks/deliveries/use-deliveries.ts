import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../../session.tsx';
import { DELIVERIES, type Delivery, type DeliveryFilter } from '../delivery-queries.ts';
import { countArrivals, currentRows, type ReadPage } from './merge-deliveries.ts';
import { useLiveChanges } from './use-delivery-changes.ts';

/** Rows of a page: all that there ever are at once, however many deliveries there are. */
const PAGE_SIZE = 50;
/** How often it is looked whether what has come can be shown. Milliseconds. */
const ARRIVALS_MS = 500;

interface Options {
  filter: DeliveryFilter;
  after: string | null;
  /** Stops following what happens. */
  paused: boolean;
  /** Whether the reader is at something in the list that must not move away. */
  isHeld: () => boolean;
}

interface Deliveries {
  /** Undefined while the first page is read. */
  rows: Delivery[] | undefined;
  /** Cursor of the next page; null: there is none. */
  next: string | null;
  error: unknown;
  /** Whether another page than the one asked for is shown, while that one is read. */
  turning: boolean;
  live: boolean;
  /** Deliveries that have come and are held back, because the reader would lose the place. */
  heldBack: number;
  /** Shows them. */
  showArrivals(): void;
}

/**
 * One page of the deliveries, following what happens: a row shown changes where it stands. New ones are shown at the
 * top of the first page by reading that anew, but not while the reader is at something in it.
 */
export function useDeliveries({ filter, after, paused, isHeld }: Options): Deliveries {
  const { call, customerId } = useSession();
  const queryKey = ['deliveries', customerId, filter, after];
  const query = useQuery({
    queryKey,
    queryFn: async (): Promise<ReadPage> => {
      const readAt = performance.now();
      const { webhookDeliveries } = await call(DELIVERIES, { first: PAGE_SIZE, after, ...filter });
      const { pageInfo, edges } = webhookDeliveries;
      const next = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
      return { rows: edges.map(({ node }) => node), next, readAt };
    },
    placeholderData: keepPreviousData,
    // Changes from before are not kept: a page that one comes back to is read anew.
    staleTime: 0,
    // The subscription tells of changes: coming back to the tab must not move the rows.
    refetchOnWindowFocus: false,
  });
  const page = query.data;
  const { endpointId } = filter;
  const readAt = page?.readAt ?? 0;
  const { live, changes } = useLiveChanges({ endpointId, enabled: !paused, readAt, reads: queryKey });
  const follows = after === null && !paused && !query.isPlaceholderData;
  const arrivals = page && follows ? countArrivals(page, changes, filter) : 0;
  const held = useRef(isHeld);
  held.current = isHeld;
  const { refetch } = query;
  const waiting = arrivals > 0;
  const [holding, setHolding] = useState(false);

  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => {
      const reading = held.current();
      setHolding(reading);
      if (!reading) void refetch({ cancelRefetch: false });
    }, ARRIVALS_MS);
    return () => clearInterval(timer);
  }, [waiting, refetch]);

  return {
    rows: page && currentRows(page, changes),
    next: page?.next ?? null,
    error: query.error,
    turning: query.isPlaceholderData,
    live,
    heldBack: holding ? arrivals : 0,
    showArrivals: () => void refetch(),
  };
}
