import type { Delivery, DeliveryFilter } from '../delivery-queries.ts';

/** A page of the list as it was loaded. */
export interface DeliveryPage {
  rows: Delivery[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** When the request was sent, as `performance.now()`. */
  requestedAt: number;
}

/** A delivery update from the subscription. */
export interface Change {
  delivery: Delivery;
  /** When it was received, as `performance.now()`. */
  receivedAt: number;
}

export type Changes = ReadonlyMap<string, Change>;

/** Maximum number of deliveries with buffered changes; changes of further deliveries are dropped. */
export const MAX_CHANGES = 1_000;

/** Adds changes to the buffer and drops those that the page already contains. */
export function addChanges(buffered: Changes, added: Iterable<Change>, requestedAt: number): Changes {
  const next = new Map([...buffered].filter(([, { receivedAt }]) => receivedAt >= requestedAt));
  for (const change of added) {
    const { id } = change.delivery;
    if (change.receivedAt >= requestedAt && (next.has(id) || next.size < MAX_CHANGES)) next.set(id, change);
  }
  return next;
}

/** Applies the buffered changes to the rows of a page without adding or removing rows. */
export const currentRows = ({ rows, requestedAt }: DeliveryPage, changes: Changes): Delivery[] =>
  rows.map((row) => {
    const change = changes.get(row.id);
    return change && change.receivedAt >= requestedAt ? change.delivery : row;
  });

/** Counts the deliveries that a refetch of the first page would add. */
export function countNewDeliveries(page: DeliveryPage, changes: Changes, filter: DeliveryFilter): number {
  const shown = new Set(page.rows.map(({ id }) => id));
  // IDs increase with time, so a full page contains every delivery that is newer than its last row.
  const lastId = page.next === null ? '' : (page.rows.at(-1)?.id ?? '');
  let count = 0;
  for (const { delivery, receivedAt } of changes.values()) {
    if (
      receivedAt >= page.requestedAt &&
      delivery.id > lastId &&
      !shown.has(delivery.id) &&
      matches(delivery, filter)
    )
      count += 1;
  }
  return count;
}

const matches = (delivery: Delivery, { endpointId, status, event }: DeliveryFilter): boolean =>
  (endpointId === null || delivery.endpointId === endpointId) &&
  (status === null || delivery.status === status) &&
  (event === null || delivery.event === event);
