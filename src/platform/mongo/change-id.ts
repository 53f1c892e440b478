/**
 * Id of a change: the resume token of the change stream, as text. Ids of one deployment sort in the order of the changes,
 * and so do positions between changes. MongoDB documents neither the time at the start of a token nor the tokens of
 * positions: no other file relies on them (ADR 17).
 */
export type ChangeId = string;

const CHANGE_ID = /^82(?:[0-9A-F]{2}){8,250}$/;
/** Length of the prefix with the time of the commit; changes of one transaction share it. */
const COMMIT_LENGTH = 18;
/** Maximum length of the token of a position. The token of a change also contains the collection and the document. */
const MAX_POSITION_LENGTH = 40;

/** Returns true if a text has the format of an id; the database decides whether it is one. */
export const isChangeId = (text: string): text is ChangeId => CHANGE_ID.test(text);

export const toChangeId = (resumeToken: unknown): ChangeId => (resumeToken as { _data: string })._data;

export const toResumeToken = (id: ChangeId): { _data: string } => ({ _data: id });

/** Returns a position after every change of the commit. */
export const endOfCommit = (id: ChangeId): ChangeId => `${id.slice(0, COMMIT_LENGTH)}FF`;

/**
 * Returns the position up to which a stream has delivered changes. The token of a position precedes the commit of
 * the next write, so this returns the end of the commit before it.
 */
export function deliveredUntil(resumeToken: unknown): ChangeId {
  const id = toChangeId(resumeToken);
  if (id.length > MAX_POSITION_LENGTH) return id;
  const increment = Number.parseInt(id.slice(10, COMMIT_LENGTH), 16);
  return `${id.slice(0, 10)}${hex32(Math.max(0, increment - 1))}FE`;
}

/** Returns a position after every change up to a time of the database. */
export const endOfTime = ({ t, i }: { t: number; i: number }): ChangeId => `82${hex32(t)}${hex32(i)}FF`;

const hex32 = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
