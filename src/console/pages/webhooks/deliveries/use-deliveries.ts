import { useLivePagedList } from '../../../api/live-rows/use-live-paged-list.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useSession } from '../../../session.tsx';
import { DELIVERIES, DELIVERY_CHANGES, type DeliveryFilter } from '../delivery-queries.ts';

const PAGE_SIZE = 50;

interface DeliveriesOptions {
  filter: DeliveryFilter;
  /** Stops the live updates. */
  paused: boolean;
}

/** Loads a page of deliveries and keeps it up to date. */
export function useDeliveries({ filter, paused }: DeliveriesOptions) {
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
