/** Control characters, line separators and bidirectional marks: they hide or reorder the visible text of a name. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** True if a text is not one visible line. Its own module: threads without zod use it. */
export const hasHiddenCharacters = (value: string): boolean => HIDDEN.test(value);
