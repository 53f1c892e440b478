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

/**
 * Creates the codec of a list.
 * @param list name and filters of the list
 * @param isPosition type guard for positions in the list
 */
export function cursorCodec<P extends string | number>(
  list: readonly unknown[],
  isPosition: (value: unknown) => value is P,
): CursorCodec<P> {
  const listId = JSON.stringify(list.map((part) => part ?? null));
  return {
    encode: (position) => Buffer.from(JSON.stringify([position, listId])).toString('base64url'),
    decode(cursor) {
      const parsed = parse(cursor);
      if (Array.isArray(parsed) && parsed.length === 2 && parsed[1] === listId && isPosition(parsed[0]))
        return parsed[0];
      throw invalid(
        'cursor',
        'Must be a cursor returned by this list with the same filters; omit it to start from the beginning.',
      );
    },
  };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
