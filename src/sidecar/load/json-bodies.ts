import type { Column, SampleColumns, SampleRow } from '../samples/samples.types.ts';

/** A request ends when it reaches this number of rows, or this number of characters. */
const MAX_BODY_ROWS = 5_000;
const MAX_BODY_LENGTH = 2_000_000;

/** Yields bodies of `POST /samples` in JSON, each with its number of rows. */
export function* jsonBodies(
  envelope: Record<string, unknown>,
  columns: SampleColumns,
): Generator<{ rows: number; body: string }> {
  const start = `${JSON.stringify(envelope).slice(0, -1)},"rows":[`;
  let rows: string[] = [];
  let length = 0;
  for (let row = 0; row < columns.rows; row += 1) {
    const json = JSON.stringify(rowOf(columns, row));
    rows.push(json);
    length += json.length;
    if (rows.length < MAX_BODY_ROWS && length < MAX_BODY_LENGTH && row < columns.rows - 1) continue;
    yield { rows: rows.length, body: `${start}${rows.join()}]}` };
    rows = [];
    length = 0;
  }
}

function rowOf({ predictions, outcomes, features, times, ids }: SampleColumns, row: number): SampleRow {
  const outcome = outcomes[row] as number;
  const time = times?.[row] ?? Number.NaN;
  const id = ids?.[row] ?? null;
  return {
    features: Object.fromEntries([...features].map(([name, column]) => [name, valueAt(column, row)])),
    prediction: predictions[row] as number,
    outcome: Number.isNaN(outcome) ? null : outcome,
    ...(Number.isNaN(time) ? {} : { occurredAt: new Date(time).toISOString() }),
    ...(id === null ? {} : { id }),
  };
}

function valueAt({ numbers, words, codes }: Column, row: number): number | string | null {
  const code = codes?.[row] ?? 0;
  if (code > 0) return words[code - 1] ?? null;
  const value = numbers?.[row] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}
