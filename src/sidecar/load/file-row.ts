/** A row of a file in the JSON that is sent, or the problem of an invalid row. */
export type RowOutcome = { stage: string | null; json: string } | { problem: string };

/** A row with its number and the number of its last line, both from 1. */
export type FileRow = { row: number; line: number } & RowOutcome;
