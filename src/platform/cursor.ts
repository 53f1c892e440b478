import { createHash } from 'node:crypto';
import { invalid } from '../errors/app-error.ts';

/**
 * Codec of the opaque cursors of one list with one set of filters; it rejects cursors of other lists and filters
 * (contract 5). A cursor grants no access, so it is not signed.
 */
export interface CursorCodec<P extends string | number> {
  encode(position: P): string;
  /** @throws AppError `VALIDATION_FAILED` for a cursor that this list did not issue */
  decode(cursor: string): P;
}

/** Describes the valid values of a cursor. */
export const CURSOR_MESSAGE =
  'Must be a cursor returned by this list with the same filters; omit it to start from the beginning.';

/**
 * Creates the codec of a list.
 * @param list name and filters of the list
 * @param isPosition type guard for positions in the list
 */
export function cursorCodec<P extends string | number>(
  list: readonly unknown[],
  isPosition: (value: unknown) => value is P,
): CursorCodec<P> {
  const listId = listIdOf(list);
  return {
    encode: (position) => encode([position, listId]),
    decode(cursor) {
      const [position, issuer] = parse(cursor) ?? [];
      if (issuer === listId && isPosition(position)) return position;
      throw invalid('cursor', CURSOR_MESSAGE);
    },
  };
}

/** A list with longer filters is named by their hash, so that its cursors stay short. Bytes. */
const MAX_LIST_ID = 200;

function listIdOf(list: readonly unknown[]): string {
  const text = JSON.stringify(list.map((part) => part ?? null));
  return Buffer.byteLength(text) <= MAX_LIST_ID
    ? text
    : createHash('sha256').update(text).digest('base64url');
}

/** Returns true if some list can have issued the cursor. */
export const isCursor = (text: string): boolean => parse(text) !== null;

const encode = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** Returns the position and the list of a cursor; null if no list can have issued it. */
function parse(cursor: string): [position: unknown, list: unknown] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed) || parsed.length !== 2) return null;
    // Base64url and JSON are read with characters that `encode` never writes, such as white space.
    return encode(parsed) === cursor ? [parsed[0], parsed[1]] : null;
  } catch {
    return null;
  }
}

export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
