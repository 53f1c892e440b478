import type { Delivery, DeliveryFilter } from '../delivery-queries.ts';

/** A page of the list, as it was read. */
export interface ReadPage {
  rows: Delivery[];
  /** Cursor of the page after it; null: it is the last one. */
  next: string | null;
  /** When reading it began, in milliseconds of `performance.now()`. */
  readAt: number;
}

/** A delivery as the subscription told of it. */
export interface Change {
  delivery: Delivery;
  /** When, in milliseconds of `performance.now()`. */
  at: number;
}

export type Changes = ReadonlyMap<string, Change>;

/** Changes that are kept; what comes past that is only known to be more. */
export const MAX_CHANGES = 1_000;

/** Adds changes to those known, and drops those that are in the page because it was read later. */
export function addChanges(known: Changes, more: Iterable<Change>, readAt: number): Changes {
  const next = new Map([...known].filter(([, { at }]) => at >= readAt));
  for (const change of more) {
    const { id } = change.delivery;
    if (change.at >= readAt && (next.has(id) || next.size < MAX_CHANGES)) next.set(id, change);
  }
  return next;
}

/** The rows of a page as they are now: each changed where it stands, none coming or going. */
export const currentRows = ({ rows, readAt }: ReadPage, changes: Changes): Delivery[] =>
  rows.map((row) => {
    const change = changes.get(row.id);
    return change && change.at >= readAt ? change.delivery : row;
  });

/** How many deliveries belong on a first page that have come, or come to fit its filter, since it was read. */
export function countArrivals(page: ReadPage, changes: Changes, filter: DeliveryFilter): number {
  const shown = new Set(page.rows.map(({ id }) => id));
  // Identifiers grow with time: what is newer than the last row of a full page is on that page.
  const last = page.next === null ? '' : (page.rows.at(-1)?.id ?? '');
  let count = 0;
  for (const { delivery, at } of changes.values()) {
    if (at >= page.readAt && delivery.id > last && !shown.has(delivery.id) && fits(delivery, filter))
      count += 1;
  }
  return count;
}

const fits = (delivery: Delivery, { endpointId, status, event }: DeliveryFilter): boolean =>
  (endpointId === null || delivery.endpointId === endpointId) &&
  (status === null || delivery.status === status) &&
  (event === null || delivery.event === event);
