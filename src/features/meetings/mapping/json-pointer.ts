/**
 * JSON pointers (RFC 6901) into the provider's records. The packages for it resolve inherited members as well, such as
 * `/constructor/name`.
 */

/** A pointer to a member or an item; the empty pointer, which is the whole document, is none. */
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
/** An index has no leading zeros; `-`, the item after the last one, never has a value. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Returns true for a source that is meant as a pointer, valid or not. */
export const isPointerLike = (source: string): boolean => source.startsWith('/');

export const isPointer = (source: string): boolean => POINTER.test(source);

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Returns the value at a valid pointer; undefined if the document has none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1).map(unescapeToken)) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !INDEX.test(token)) return undefined;
    if (!Object.hasOwn(value, token)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[token];
  }
  return value;
}
