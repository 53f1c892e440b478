/** A row of a file as it is sent, or what is wrong with it. */
export type RowOutcome = { stage: string | null; json: string } | { problem: string };

/** With its number among the rows, and that of the line on which it ends; both from 1. */
export type FileRow = { row: number; line: number } & RowOutcome;
