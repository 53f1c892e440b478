/** Escapes a text for a pattern of JavaScript and of the database. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
