import { CUSTOM_EVENT, EVENT_NAMES, type EventName, isCustomerEvent } from './event-catalog.ts';

const PREFIX = 'custom.';

/** Event type of the catalog, or `custom.` and a custom type of the customer. */
export type EventTypeName = Exclude<EventName, typeof CUSTOM_EVENT> | `custom.${string}`;

/**
 * An event type as documents store it. Custom types share a value of `event`, so that a list of all types merges a bounded
 * number of ranges of an index.
 */
export interface StoredType {
  event: EventName;
  /** Custom type without its prefix; absent for a type of the catalog. */
  customType?: string;
}

/** Types of the catalog that have a name of their own. */
export const CATALOG_TYPES = EVENT_NAMES.filter((name) => name !== CUSTOM_EVENT);

/** Custom types, as `POST /v1/events` takes them. */
export const CUSTOM_TYPE = /^[a-z][a-z0-9_.:-]{0,63}$/;

/** The type that is a conversion, published as `conversion.recorded`, and no custom type. */
export const CONVERSION = 'conversion';

export const customTypeName = (type: string): EventTypeName => `${PREFIX}${type}`;

/** Returns the custom type that an event type names; null for one of the catalog. */
export const customTypeOf = (name: string): string | null =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;

/** Returns true for the name of an event type that an endpoint can receive. */
export function isEventTypeName(name: string): name is EventTypeName {
  if ((CATALOG_TYPES as string[]).includes(name)) return true;
  const type = customTypeOf(name);
  return type !== null && type !== CONVERSION && CUSTOM_TYPE.test(type);
}

export function storedType(name: EventTypeName): StoredType {
  const customType = customTypeOf(name);
  return customType === null ? { event: name as EventName } : { event: CUSTOM_EVENT, customType };
}

/** Returns the name of a stored event type. */
export const typeNameOf = ({ event, customType }: StoredType): EventTypeName =>
  customType === undefined ? (event as EventTypeName) : customTypeName(customType);

/** Returns true if endpoints and feeds that name no event types receive an event type. */
export const isSentByDefault = (name: EventTypeName): boolean => isCustomerEvent(storedType(name).event);
