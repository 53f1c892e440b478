import { invalid } from '../errors.ts';

/**
 * Opaque cursors: the position in a list, and a mark of the list and filters that it belongs to, so that one
 * list's cursor is refused by another (contract 5). A cursor grants nothing, so it is not signed.
 */
export interface CursorCodec<P extends string | number> {
  encode(position: P): string;
  /** @throws AppError `VALIDATION_FAILED` for anything that this list did not give out. */
  decode(cursor: string): P;
}

/**
 * @param list name of the list, with everything that it is filtered by
 * @param isPosition whether a decoded value can be a position in it
 */
export function cursorCodec<P extends string | number>(
  list: readonly unknown[],
  isPosition: (value: unknown) => value is P,
): CursorCodec<P> {
  const mark = JSON.stringify(list.map((part) => part ?? null));
  return {
    encode: (position) => Buffer.from(JSON.stringify([position, mark])).toString('base64url'),
    decode(cursor) {
      const parsed = parse(cursor);
      if (Array.isArray(parsed) && parsed.length === 2 && parsed[1] === mark && isPosition(parsed[0]))
        return parsed[0];
      throw invalid(
        'cursor',
        'Must be a cursor that came with this list and the same filters; without one the list begins anew.',
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

const OBJECT_ID = /^[0-9a-f]{24}$/;
export const isObjectIdText = (value: unknown): value is string =>
  typeof value === 'string' && OBJECT_ID.test(value);
export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
