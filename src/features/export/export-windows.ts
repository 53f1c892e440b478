import { createTimeSlice } from '../../platform/time-slice.ts';
import type { ExportKind, ExportScope, ExportSource } from '../privacy/export-source.ts';

/** Where an interrupted export continues. */
export interface ExportPosition {
  kind: ExportKind;
  /** Position of the next window of the kind; null for the first one. */
  after: unknown;
}

/** Rows of one kind. */
export interface ExportedWindow {
  source: ExportSource;
  rows: AsyncIterable<object>;
  /** What follows after the rows; null at the end of the export. */
  next: ExportPosition | null;
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
  from: ExportPosition | null,
): AsyncGenerator<ExportedWindow> {
  const start = from ? sources.findIndex(({ kind }) => kind === from.kind) : 0;
  if (start < 0) throw new Error(`The export has no ${from?.kind}.`);
  for (const [index, source] of sources.entries()) {
    if (index < start) continue;
    const following = sources[index + 1];
    let after: unknown = index === start ? (from?.after ?? null) : null;
    do {
      const { rows, next } = await source.read(scope, after);
      after = next;
      yield {
        source,
        rows: inSlices(rows),
        next:
          after === null
            ? following
              ? { kind: following.kind, after: null }
              : null
            : { kind: source.kind, after },
      };
    } while (after !== null);
  }
}
