import { describe, expect, test } from 'vitest';
import {
  addChanges,
  type Change,
  countNewRows,
  currentRows,
  type LoadedRows,
  MAX_CHANGES,
} from '../../../src/console/api/live-rows/merge-live-rows.ts';

interface Row {
  id: string;
  endpointId: number;
  status: string;
}

const rowOf = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  endpointId: 1,
  status: 'pending',
  ...more,
});
const page = (ids: string[], more: Partial<LoadedRows<Row>> = {}): LoadedRows<Row> => ({
  rows: ids.map((id) => rowOf(id)),
  isComplete: true,
  requestedAt: 100,
  ...more,
});
const changeAt = (receivedAt: number, id: string, more: Partial<Row> = {}): Change<Row> => ({
  receivedAt,
  row: rowOf(id, more),
});
/** Counts the new rows that have these values. */
const countNew = (loaded: LoadedRows<Row>, changes: Parameters<typeof currentRows<Row>>[1], wanted = {}) =>
  countNewRows(loaded, changes, {
    orderOf: ({ id }) => id,
    matches: (row) => Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value),
  });
const changesOf = (...changes: Change<Row>[]) => addChanges<Row>(new Map(), changes, 0);

describe('merging subscription updates into the rows of a list', () => {
  test('updates a shown row in place, even if it no longer matches the filter', () => {
    const changes = changesOf(changeAt(150, 'b', { status: 'succeeded' }));
    const rows = currentRows(page(['c', 'b', 'a']), changes);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['c', 'pending'],
      ['b', 'succeeded'],
      ['a', 'pending'],
    ]);
    expect(countNew(page(['c', 'b', 'a']), changes, { status: 'pending' })).toBe(0);
  });

  test('keeps updates received during the page request; the page contains earlier ones', () => {
    const during = changesOf(changeAt(101, 'a', { status: 'succeeded' }));
    expect(currentRows(page(['a']), during)[0]?.status).toBe('succeeded');
    const before = changesOf(changeAt(99, 'a', { status: 'retrying' }));
    expect(currentRows(page(['a']), before)[0]?.status).toBe('pending');
    expect(countNew(page(['a']), changesOf(changeAt(99, 'b')))).toBe(0);
  });

  test('counts a row once, even if it changes several times', () => {
    const changes = changesOf(
      changeAt(150, 'b'),
      changeAt(151, 'b', { status: 'succeeded' }),
      changeAt(152, 'c'),
    );
    expect(countNew(page(['a']), changes)).toBe(2);
  });

  test('does not count rows of later pages or of other filters', () => {
    const full = page(['d', 'c'], { isComplete: false });
    expect(countNew(full, changesOf(changeAt(150, 'b')))).toBe(0);
    expect(countNew(page(['d', 'c']), changesOf(changeAt(150, 'b')))).toBe(1);
    const other = changesOf(changeAt(150, 'e', { endpointId: 2, status: 'failed' }));
    expect(countNew(full, other, { endpointId: 1 })).toBe(0);
    expect(countNew(full, other, { status: 'pending' })).toBe(0);
    expect(countNew(full, other, { endpointId: 2, status: 'failed' })).toBe(1);
  });

  test('bounds the buffer: drops changes that the page contains, and changes above the maximum', () => {
    const known = changesOf(changeAt(50, 'a'), changeAt(150, 'b'));
    expect([...addChanges(known, [], 100).keys()]).toEqual(['b']);
    const many = Array.from({ length: MAX_CHANGES + 5 }, (_, n) => changeAt(150, `id${n}`));
    const kept = addChanges<Row>(new Map(), many, 100);
    expect(kept.size).toBe(MAX_CHANGES);
    expect(addChanges(kept, [changeAt(160, 'id0', { status: 'failed' })], 100).get('id0')?.row.status).toBe(
      'failed',
    );
  });
});
