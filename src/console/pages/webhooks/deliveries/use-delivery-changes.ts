import { useEffect, useRef, useState } from 'react';
import { useLiveSubscription } from '../../../api/use-live-subscription.ts';
import { DELIVERY_CHANGES } from '../delivery-queries.ts';
import { addChanges, type Change, type Changes } from './merge-deliveries.ts';

/** Batches changes, so that a busy list renders at most four times per second. */
const BATCH_MS = 250;

const NO_CHANGES: Changes = new Map();

interface DeliveryChangesOptions {
  endpointId: number | null;
  enabled: boolean;
  /** When the shown page was requested, as `performance.now()`; it contains all earlier changes. */
  requestedAt: number;
  /** Key of the query that is refetched whenever the subscription connects. */
  queryKey: readonly unknown[];
}

/** Buffers the delivery changes since the shown page was requested. */
export function useDeliveryChanges({ endpointId, enabled, requestedAt, queryKey }: DeliveryChangesOptions): {
  live: boolean;
  changes: Changes;
} {
  const [changes, setChanges] = useState(NO_CHANGES);
  const batch = useRef<Change[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latestRequestedAt = useRef(requestedAt);
  latestRequestedAt.current = requestedAt;
  useEffect(() => () => clearTimeout(timer.current), []);

  const flush = (): void => {
    const added = batch.current;
    batch.current = [];
    timer.current = undefined;
    setChanges((buffered) => addChanges(buffered, added, latestRequestedAt.current));
  };
  const live = useLiveSubscription(
    DELIVERY_CHANGES,
    { endpointId },
    ({ webhookDeliveryUpdated: delivery }) => {
      batch.current.push({ delivery, receivedAt: performance.now() });
      timer.current ??= setTimeout(flush, BATCH_MS);
    },
    { enabled, queryKey },
  );
  return { live, changes };
}
