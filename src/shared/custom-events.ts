/** Name under which the catalog has the events of all custom types. It selects them wherever an event type is selected. */
export const CUSTOM_EVENT = 'custom.*' as const;
/** Beginning of the names of custom types. */
export const CUSTOM_PREFIX = 'custom.';

/** Returns true for the name of a single custom type. */
export const isCustomType = (name: string): boolean =>
  name.startsWith(CUSTOM_PREFIX) && name !== CUSTOM_EVENT;

/** Returns true if a selection of event types has the events of a type. */
export const isSelectedBy = (name: string, names: readonly string[]): boolean =>
  names.includes(name) || (isCustomType(name) && names.includes(CUSTOM_EVENT));
