import type { mongo, Types } from 'mongoose';
import { scanIds } from '../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../privacy/erasure-step.ts';
import { EVENT_NAMES } from './event-catalog.ts';
import { BY_TYPE } from './outbox-event.model.ts';

const WINDOW = 1_000;

/** Position in the events of a tenant: they have an index per event type. */
interface Position {
  type: number;
  /** Last event of the previous window; null for the first one of the type. */
  id: Types.ObjectId | null;
}

/** Returns a function that reads the ids of the next window of a tenant's events that match a filter. */
export const eventScan =
  (collection: mongo.Collection) =>
  async ({ customerId }: TenantRef, match: mongo.Document, after: unknown) => {
    const { type, id } = (after as Position | null) ?? { type: 0, id: null };
    const { ids, next } = await scanIds(collection, {
      of: { customerId, event: EVENT_NAMES[type] },
      by: '_id',
      hint: BY_TYPE,
      after: id,
      size: WINDOW,
      match,
    });
    const following: Position | null =
      next !== null
        ? { type, id: next as Types.ObjectId }
        : type + 1 < EVENT_NAMES.length
          ? { type: type + 1, id: null }
          : null;
    return { ids, next: following };
  };
