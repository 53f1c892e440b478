/** Name under which the catalog has the events of all custom types. It selects them wherever an event type is selected. */
export const CUSTOM_EVENT = 'custom.*';
/** Beginning of the names of custom types. */
export const CUSTOM_PREFIX = 'custom.';

/** Returns true for the name of a single custom type. */
export const isCustomType = (name: string): boolean =>
  name.startsWith(CUSTOM_PREFIX) && name !== CUSTOM_EVENT;

/** Returns true if a selected name selects the events of a type. */
export const isSelectedBy = (name: string, selected: string): boolean =>
  name === selected || (selected === CUSTOM_EVENT && isCustomType(name));
