import { describe, expect, test } from 'vitest';
import {
  addChanges,
  type Change,
  countArrivals,
  currentRows,
  MAX_CHANGES,
  type ReadPage,
} from '../../src/console/pages/webhooks/deliveries/merge-deliveries.ts';
import type { Delivery, DeliveryFilter } from '../../src/console/pages/webhooks/delivery-queries.ts';

const ALL: DeliveryFilter = { endpointId: null, status: null, event: null };

const delivery = (id: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  endpointId: 1,
  event: 'conversion.recorded',
  status: 'pending',
  attempt: 0,
  nextRetryAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastAttemptAt: null,
  responseStatus: null,
  error: null,
  durationMs: null,
  ...more,
});
const page = (ids: string[], more: Partial<ReadPage> = {}): ReadPage => ({
  rows: ids.map((id) => delivery(id)),
  next: null,
  readAt: 100,
  ...more,
});
const told = (at: number, id: string, more: Partial<Delivery> = {}): Change => ({
  at,
  delivery: delivery(id, more),
});
const changesOf = (...changes: Change[]) => addChanges(new Map(), changes, 0);

describe('merging what the subscription tells into a page of deliveries', () => {
  test('a row shown changes where it stands, though it no longer fits the filter', () => {
    const changes = changesOf(told(150, 'b', { status: 'succeeded' }));
    const rows = currentRows(page(['c', 'b', 'a']), changes);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['c', 'pending'],
      ['b', 'succeeded'],
      ['a', 'pending'],
    ]);
    expect(countArrivals(page(['c', 'b', 'a']), changes, { ...ALL, status: 'pending' })).toBe(0);
  });

  test('what was told while the page was read is not undone by what it read; what came before is in it', () => {
    const during = changesOf(told(101, 'a', { status: 'succeeded' }));
    expect(currentRows(page(['a']), during)[0]?.status).toBe('succeeded');
    const before = changesOf(told(99, 'a', { status: 'retrying' }));
    expect(currentRows(page(['a']), before)[0]?.status).toBe('pending');
    expect(countArrivals(page(['a']), changesOf(told(99, 'b')), ALL)).toBe(0);
  });

  test('a delivery counts once, however often it changes', () => {
    const changes = changesOf(told(150, 'b'), told(151, 'b', { status: 'succeeded' }), told(152, 'c'));
    expect(countArrivals(page(['a']), changes, ALL)).toBe(2);
  });

  test('what belongs on a later page, or does not fit the filter, is no arrival', () => {
    const full = page(['d', 'c'], { next: 'cursor' });
    expect(countArrivals(full, changesOf(told(150, 'b')), ALL)).toBe(0);
    expect(countArrivals(page(['d', 'c']), changesOf(told(150, 'b')), ALL)).toBe(1);
    const other = changesOf(told(150, 'e', { endpointId: 2, event: 'handoff.requested', status: 'failed' }));
    expect(countArrivals(full, other, { ...ALL, endpointId: 1 })).toBe(0);
    expect(countArrivals(full, other, { ...ALL, event: 'conversion.recorded' })).toBe(0);
    expect(countArrivals(full, other, { ...ALL, status: 'pending' })).toBe(0);
    expect(countArrivals(full, other, { endpointId: 2, event: 'handoff.requested', status: 'failed' })).toBe(
      1,
    );
  });

  test('changes do not pile up: those that were read are dropped, and of too many the rest', () => {
    const known = changesOf(told(50, 'a'), told(150, 'b'));
    expect([...addChanges(known, [], 100).keys()]).toEqual(['b']);
    const many = Array.from({ length: MAX_CHANGES + 5 }, (_, n) => told(150, `id${n}`));
    const kept = addChanges(new Map(), many, 100);
    expect(kept.size).toBe(MAX_CHANGES);
    expect(addChanges(kept, [told(160, 'id0', { status: 'failed' })], 100).get('id0')?.delivery.status).toBe(
      'failed',
    );
  });
});
