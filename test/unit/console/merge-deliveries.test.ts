import { describe, expect, test } from 'vitest';
import {
  addChanges,
  type Change,
  countNewDeliveries,
  currentRows,
  type DeliveryPage,
  MAX_CHANGES,
} from '../../../src/console/pages/webhooks/deliveries/merge-deliveries.ts';
import type { Delivery, DeliveryFilter } from '../../../src/console/pages/webhooks/delivery-queries.ts';

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
const page = (ids: string[], more: Partial<DeliveryPage> = {}): DeliveryPage => ({
  rows: ids.map((id) => delivery(id)),
  next: null,
  requestedAt: 100,
  ...more,
});
const changeAt = (receivedAt: number, id: string, more: Partial<Delivery> = {}): Change => ({
  receivedAt,
  delivery: delivery(id, more),
});
const changesOf = (...changes: Change[]) => addChanges(new Map(), changes, 0);

describe('merging subscription updates into a page of deliveries', () => {
  test('updates a shown row in place, even if it no longer matches the filter', () => {
    const changes = changesOf(changeAt(150, 'b', { status: 'succeeded' }));
    const rows = currentRows(page(['c', 'b', 'a']), changes);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['c', 'pending'],
      ['b', 'succeeded'],
      ['a', 'pending'],
    ]);
    expect(countNewDeliveries(page(['c', 'b', 'a']), changes, { ...ALL, status: 'pending' })).toBe(0);
  });

  test('keeps updates received during the page request; the page contains earlier ones', () => {
    const during = changesOf(changeAt(101, 'a', { status: 'succeeded' }));
    expect(currentRows(page(['a']), during)[0]?.status).toBe('succeeded');
    const before = changesOf(changeAt(99, 'a', { status: 'retrying' }));
    expect(currentRows(page(['a']), before)[0]?.status).toBe('pending');
    expect(countNewDeliveries(page(['a']), changesOf(changeAt(99, 'b')), ALL)).toBe(0);
  });

  test('counts a delivery once, even if it changes several times', () => {
    const changes = changesOf(
      changeAt(150, 'b'),
      changeAt(151, 'b', { status: 'succeeded' }),
      changeAt(152, 'c'),
    );
    expect(countNewDeliveries(page(['a']), changes, ALL)).toBe(2);
  });

  test('does not count deliveries of later pages or of other filters', () => {
    const full = page(['d', 'c'], { next: 'cursor' });
    expect(countNewDeliveries(full, changesOf(changeAt(150, 'b')), ALL)).toBe(0);
    expect(countNewDeliveries(page(['d', 'c']), changesOf(changeAt(150, 'b')), ALL)).toBe(1);
    const other = changesOf(
      changeAt(150, 'e', { endpointId: 2, event: 'handoff.requested', status: 'failed' }),
    );
    expect(countNewDeliveries(full, other, { ...ALL, endpointId: 1 })).toBe(0);
    expect(countNewDeliveries(full, other, { ...ALL, event: 'conversion.recorded' })).toBe(0);
    expect(countNewDeliveries(full, other, { ...ALL, status: 'pending' })).toBe(0);
    expect(
      countNewDeliveries(full, other, { endpointId: 2, event: 'handoff.requested', status: 'failed' }),
    ).toBe(1);
  });

  test('bounds the buffer: drops changes that the page contains, and changes above the maximum', () => {
    const known = changesOf(changeAt(50, 'a'), changeAt(150, 'b'));
    expect([...addChanges(known, [], 100).keys()]).toEqual(['b']);
    const many = Array.from({ length: MAX_CHANGES + 5 }, (_, n) => changeAt(150, `id${n}`));
    const kept = addChanges(new Map(), many, 100);
    expect(kept.size).toBe(MAX_CHANGES);
    expect(
      addChanges(kept, [changeAt(160, 'id0', { status: 'failed' })], 100).get('id0')?.delivery.status,
    ).toBe('failed');
  });
});
