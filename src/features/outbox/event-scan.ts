import type { Types } from 'mongoose';
import { EVENT_NAMES, type EventName } from './event-catalog.ts';

/** Events that a window spans. */
export const EVENT_WINDOW = 1_000;

/** Position in the events of a tenant: they have an index per event type. */
interface Position {
  type: number;
  /** Last event of the previous window; null for the first one of the type. */
  id: Types.ObjectId | null;
}

interface Window {
  ids: string[];
  next: unknown;
}

/** Reads the next window of a tenant's events, type by type. @param scan reads a window of one type */
export async function scanTypes(
  position: unknown,
  scan: (event: EventName, after: Types.ObjectId | null) => Promise<Window>,
): Promise<Window> {
  const { type, id } = (position as Position | null) ?? { type: 0, id: null };
  const { ids, next } = await scan(EVENT_NAMES[type] as EventName, id);
  const following: Position | null =
    next !== null
      ? { type, id: next as Types.ObjectId }
      : type + 1 < EVENT_NAMES.length
        ? { type: type + 1, id: null }
        : null;
  return { ids, next: following };
}
