import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { type DeliveryFilter, STATUSES } from '../delivery-queries.ts';

/** Which deliveries are shown: the filter, and how far back. All of it is in the address. */
export interface DeliveryView {
  filter: DeliveryFilter;
  /** Cursor of the last delivery before the first one shown; null: from the newest. */
  after: string | null;
  /** Narrows the list; starts from the newest again. */
  narrow(change: Partial<DeliveryFilter>): void;
  /** Shows what comes after a cursor. */
  older(after: string): void;
  /** Back to where one came from with `older`; undefined where one did not. */
  newer: (() => void) | undefined;
  newest(): void;
}

/** What a step to older deliveries leaves with its entry of the browser's history. */
interface Step {
  fromNewer?: boolean;
}

const NAMES = { endpointId: 'endpoint', status: 'status', event: 'event' } as const;

/** @param endpointId the endpoint that the page is about; null: the address may name one */
export function useDeliveryView(endpointId: number | null): DeliveryView {
  const [params, setParams] = useSearchParams();
  const step = useHistoryState<Step | null>();
  const asked = Number(params.get(NAMES.endpointId) ?? Number.NaN);
  const status = STATUSES.find((known) => known === params.get(NAMES.status)) ?? null;

  const go = (change: Record<string, string | null>, state: Step = {}): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(change)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { state },
    );

  return {
    filter: {
      endpointId: endpointId ?? (asked > 0 ? asked : null),
      status,
      event: params.get(NAMES.event),
    },
    after: params.get('after'),
    narrow: (change) =>
      go({
        after: null,
        ...Object.fromEntries(
          Object.entries(change).map(([name, value]) => [
            NAMES[name as keyof DeliveryFilter],
            value === null ? null : String(value),
          ]),
        ),
      }),
    older: (after) => go({ after }, { fromNewer: true }),
    // The list knows the way forward only; the browser knows the way back.
    newer: step?.fromNewer ? () => history.back() : undefined,
    newest: () => go({ after: null }),
  };
}
