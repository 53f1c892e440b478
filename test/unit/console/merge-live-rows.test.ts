import { describe, expect, test } from 'vitest';
import {
  addChanges,
  type Change,
  countNewRows,
  currentRows,
  MAX_CHANGES,
} from '../../../src/console/api/live-rows/merge-live-rows.ts';
import type { LoadedRows } from '../../../src/console/api/use-paged-list.ts';

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
  next: null,
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
/** A list that a request in flight may replace. */
const loading = {
  loaded: undefined,
  showsNewest: true,
  isFetching: true,
  orderOf: ({ id }: Row) => id,
  matches: ({ status }: Row) => status === 'pending',
};
const changesOf = (...changes: Change<Row>[]) => addChanges<Row>(new Map(), changes, loading);

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
    const full = page(['d', 'c'], { next: 'd' });
    expect(countNew(full, changesOf(changeAt(150, 'b')))).toBe(0);
    expect(countNew(page(['d', 'c']), changesOf(changeAt(150, 'b')))).toBe(1);
    const other = changesOf(changeAt(150, 'e', { endpointId: 2, status: 'failed' }));
    expect(countNew(full, other, { endpointId: 1 })).toBe(0);
    expect(countNew(full, other, { status: 'pending' })).toBe(0);
    expect(countNew(full, other, { endpointId: 2, status: 'failed' })).toBe(1);
  });

  test('buffers only changes of shown and of new rows that the page does not contain', () => {
    const list = { ...loading, loaded: page(['d', 'c'], { next: 'c' }), isFetching: false };
    const changes = [
      changeAt(50, 'd'),
      changeAt(150, 'c', { status: 'failed' }),
      changeAt(150, 'b'),
      changeAt(150, 'e'),
      changeAt(150, 'f', { status: 'failed' }),
    ];
    const idsOf = (more = {}) => [...addChanges(new Map(), changes, { ...list, ...more }).keys()];
    expect(idsOf()).toEqual(['c', 'e']);
    expect(idsOf({ showsNewest: false })).toEqual(['c']);
    expect(idsOf({ isFetching: true })).toEqual(['c', 'b', 'e', 'f']);
    const buffered = addChanges(new Map(), changes, list);
    expect([...addChanges(buffered, [changeAt(160, 'e', { status: 'failed' })], list).keys()]).toEqual(['c']);
  });

  test('bounds the buffer, and updates the shown rows nevertheless', () => {
    const list = { ...loading, loaded: page(['a']), isFetching: false };
    const ids = Array.from({ length: MAX_CHANGES + 5 }, (_, n) => `id${n}`);
    const others = ids.map((id) => changeAt(150, id, { status: 'failed' }));
    expect(addChanges(new Map(), others, list).size).toBe(0);
    const news = ids.map((id) => changeAt(150, id));
    const full = addChanges(new Map(), news, list);
    expect(countNewRows(list.loaded, full, list)).toBe(MAX_CHANGES);
    const updated = addChanges(full, [changeAt(160, 'a', { status: 'failed' })], list);
    expect(currentRows(list.loaded, updated)[0]?.status).toBe('failed');
    expect(updated.size).toBe(MAX_CHANGES + 1);
  });
});
