import type { TenantRef } from '../../platform/tenant-ref.ts';
import { CUSTOM_EVENT, CUSTOM_PREFIX, isSelectedBy } from '../../shared/custom-events.ts';
import { CATALOG, EVENT_NAMES, type EventName, isCustomerEvent } from './event-catalog.ts';

/** What `custom.*` has in place of a custom type. */
export const ANY_CUSTOM_TYPE = '*';

/** Event type of the catalog, or `custom.` and a custom type of the customer. `custom.*` selects all custom types. */
export type EventTypeName = EventName | `custom.${string}`;

/** Returns whether an endpoint of the tenant, or a feed, names the event type: an event without a receiver is not stored. */
export type Subscribes = (tenant: TenantRef, event: EventTypeName) => Promise<boolean>;

/**
 * The fields that documents have for an event type; without `customType`, those that the documents of all custom types have
 * in common. Custom types share a value of `event`, so that a list of all types merges a bounded number of ranges of an index.
 */
export interface StoredType {
  event: EventName;
  /** Custom type without its prefix; absent for a type of the catalog, and in a query for all custom types. */
  customType?: string;
}

/** Custom types, as `POST /v1/events` takes them. */
export const CUSTOM_TYPE = /^[a-z][a-z0-9_.:-]{0,63}$/;

/** The type that is a conversion, published as `conversion.recorded`, and no custom type. */
export const CONVERSION = 'conversion';

export const customTypeName = (type: string): EventTypeName => `${CUSTOM_PREFIX}${type}`;

/** Returns the name of the event that is the example of an event type. */
export function exampleNameOf(name: EventTypeName): EventTypeName {
  if (name !== CUSTOM_EVENT) return name;
  const { type }: Record<string, unknown> = CATALOG[name].example;
  return customTypeName(String(type));
}

/** Returns the custom type that an event type names, or `ANY_CUSTOM_TYPE`; null for the others of the catalog. */
export const customTypeOf = (name: string): string | null =>
  name.startsWith(CUSTOM_PREFIX) ? name.slice(CUSTOM_PREFIX.length) : null;

/** Returns true for the name of an event type that an endpoint can receive, and for `custom.*`. */
export function isEventTypeName(name: string): name is EventTypeName {
  if ((EVENT_NAMES as string[]).includes(name)) return true;
  const type = customTypeOf(name);
  return type !== null && type !== CONVERSION && CUSTOM_TYPE.test(type);
}

export function storedType(name: EventTypeName): StoredType {
  const customType = customTypeOf(name);
  if (customType === null || customType === ANY_CUSTOM_TYPE) return { event: name as EventName };
  return { event: CUSTOM_EVENT, customType };
}

/** Returns the name of a stored event type. */
export const typeNameOf = ({ event, customType }: StoredType): EventTypeName =>
  customType === undefined ? (event as EventTypeName) : customTypeName(customType);

/** Returns true if endpoints and feeds that name no event types receive an event type. */
export const isSentByDefault = (name: EventTypeName): boolean => isCustomerEvent(storedType(name).event);

/** Returns true if endpoints and feeds receive an event type. @param names types that they name; null if they name none */
export const isReceivedBy = (name: EventTypeName, names: readonly EventTypeName[] | null): boolean =>
  names === null ? isSentByDefault(name) : isSelectedBy(name, names);
