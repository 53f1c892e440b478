import { useEffect, useRef, useState } from 'react';
import { useLive } from '../../../api/use-live-subscription.ts';
import { DELIVERY_CHANGES } from '../delivery-queries.ts';
import { addChanges, type Change, type Changes } from './merge-deliveries.ts';

/** What comes within this time is shown at once, so that a busy list is drawn four times a second. Milliseconds. */
const GATHER_MS = 250;

const NONE: Changes = new Map();

interface LiveChangesOptions {
  endpointId: number | null;
  enabled: boolean;
  /** When reading what is shown began: earlier changes are in it. */
  readAt: number;
  /** What is read anew whenever the subscription is opened. */
  reads: readonly unknown[];
}

/** Changes of deliveries since what is shown was read. */
export function useLiveChanges({ endpointId, enabled, readAt, reads }: LiveChangesOptions): {
  live: boolean;
  changes: Changes;
} {
  const [changes, setChanges] = useState(NONE);
  const gathered = useRef<Change[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shownSince = useRef(readAt);
  shownSince.current = readAt;
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = (): void => {
    const more = gathered.current;
    gathered.current = [];
    timer.current = undefined;
    setChanges((known) => addChanges(known, more, shownSince.current));
  };
  const live = useLive(
    DELIVERY_CHANGES,
    { endpointId },
    ({ webhookDeliveryUpdated: delivery }) => {
      gathered.current.push({ delivery, at: performance.now() });
      timer.current ??= setTimeout(show, GATHER_MS);
    },
    { enabled, reads },
  );
  return { live, changes };
}
