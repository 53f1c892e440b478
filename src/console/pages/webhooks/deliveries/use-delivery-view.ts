import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { withSearchParams } from '../../../search-params.ts';
import { DELIVERY_STATUSES, type DeliveryFilter } from '../delivery-queries.ts';

/** Filter and position of the delivery list, kept in the URL. */
export interface DeliveryView {
  filter: DeliveryFilter;
  /** Cursor that the page starts after; null: the newest page. */
  after: string | null;
  /** Changes the filter and returns to the newest page. */
  setFilter(change: Partial<DeliveryFilter>): void;
  showOlder(after: string): void;
  /** Goes back to the page that `showOlder` was called on; undefined if the page was opened in another way. */
  showNewer: (() => void) | undefined;
  showNewest(): void;
}

/** State of a browser history entry. */
interface HistoryEntry {
  /** True if `showOlder` created the entry. */
  fromNewer?: boolean;
}

const PARAM_NAMES = { endpointId: 'endpoint', status: 'status', event: 'event' } as const;

/** @param endpointId the only endpoint that the page shows; null: the URL may select one */
export function useDeliveryView(endpointId: number | null): DeliveryView {
  const [params, setParams] = useSearchParams();
  const historyEntry = useHistoryState<HistoryEntry | null>();
  const selectedEndpointId = Number(params.get(PARAM_NAMES.endpointId));
  const status = DELIVERY_STATUSES.find((known) => known === params.get(PARAM_NAMES.status)) ?? null;

  const navigate = (changes: Record<string, string | null>, state: HistoryEntry = {}): void =>
    setParams((current) => withSearchParams(current, changes), { state });

  return {
    filter: {
      endpointId: endpointId ?? (selectedEndpointId > 0 ? selectedEndpointId : null),
      status,
      event: params.get(PARAM_NAMES.event),
    },
    after: params.get('after'),
    setFilter: (change) =>
      navigate({
        after: null,
        ...Object.fromEntries(
          Object.entries(change).map(([name, value]) => [
            PARAM_NAMES[name as keyof DeliveryFilter],
            value === null ? null : String(value),
          ]),
        ),
      }),
    showOlder: (after) => navigate({ after }, { fromNewer: true }),
    // Connections can only be paged forwards, so the way back is the browser history.
    showNewer: historyEntry?.fromNewer ? () => history.back() : undefined,
    showNewest: () => navigate({ after: null }),
  };
}
