import { useSearchParams } from 'wouter';
import { FIRST_PAGE } from '../../../api/use-page-position.ts';
import { withSearchParams } from '../../../search-params.ts';
import { DELIVERY_STATUSES, type DeliveryFilter } from '../delivery-queries.ts';

/** Filter of the delivery list, kept in the URL. */
interface DeliveryView {
  filter: DeliveryFilter;
  /** Changes the filter and returns to the newest page. */
  setFilter(change: Partial<DeliveryFilter>): void;
}

const PARAM_NAMES = { endpointId: 'endpoint', status: 'status', event: 'event' } as const;

/** @param endpointId the only endpoint that the page shows; null: the URL may select one */
export function useDeliveryView(endpointId: number | null): DeliveryView {
  const [params, setParams] = useSearchParams();
  const selectedEndpointId = Number(params.get(PARAM_NAMES.endpointId));
  const status = DELIVERY_STATUSES.find((known) => known === params.get(PARAM_NAMES.status)) ?? null;
  return {
    filter: {
      endpointId: endpointId ?? (selectedEndpointId > 0 ? selectedEndpointId : null),
      status,
      event: params.get(PARAM_NAMES.event),
    },
    setFilter: (change) =>
      setParams((current) =>
        withSearchParams(current, {
          ...FIRST_PAGE,
          ...Object.fromEntries(
            Object.entries(change).map(([name, value]) => [
              PARAM_NAMES[name as keyof DeliveryFilter],
              value === null ? null : String(value),
            ]),
          ),
        }),
      ),
  };
}
