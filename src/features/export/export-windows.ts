import { parsePosition, positionText } from '../../platform/mongo/position-text.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import type { ExportKind, ExportScope, ExportSource } from '../privacy/export-source.ts';

/** Position at which an interrupted export continues. */
interface Position {
  kind: ExportKind;
  /** Position of the next window of the kind; null for the first one. */
  after: unknown;
}

/** Rows of one kind. */
export interface ExportedWindow {
  source: ExportSource;
  rows: AsyncIterable<object>;
  /** True if the export has no more rows of the kind. */
  endsKind: boolean;
  /** Position behind the rows, as text; null at the end of the export. */
  next: string | null;
}

/** Reads rows without keeping the process from other work. */
async function* inSlices(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<object> {
  const yieldToRequests = createTimeSlice();
  for await (const row of rows) {
    await yieldToRequests();
    yield row;
  }
}

/** Reads the windows of sources, one source after the other. @param from null to begin with the first source */
export async function* exportWindows(
  sources: readonly ExportSource[],
  scope: ExportScope,
  from: string | null,
): AsyncGenerator<ExportedWindow> {
  const position = from === null ? null : (parsePosition(from) as Position);
  const start = position ? sources.findIndex(({ kind }) => kind === position.kind) : 0;
  if (start < 0) throw new Error(`The export has no ${position?.kind}.`);
  for (const [index, source] of sources.entries()) {
    if (index < start) continue;
    const following = sources[index + 1];
    let after: unknown = index === start ? (position?.after ?? null) : null;
    do {
      const { rows, next } = await source.read(scope, after);
      after = next;
      const endsKind = after === null;
      const behind: Position | null = endsKind
        ? following
          ? { kind: following.kind, after: null }
          : null
        : { kind: source.kind, after };
      yield { source, rows: inSlices(rows), endsKind, next: behind && positionText(behind) };
    } while (after !== null);
  }
}
