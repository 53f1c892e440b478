import { expect, test } from 'vitest';
import { Ledger } from '../../soak/ledger.ts';

const arrival = (event: string, eventId = `id of ${event}`) => ({ event, eventId, isSigned: true });

test('an accepted event is open until it arrives', () => {
  const ledger = new Ledger();
  ledger.accept('a');
  ledger.accept('b');
  expect(ledger.totals()).toMatchObject({ accepted: 2, delivered: 0, open: 2 });
  ledger.arrive(arrival('a'));
  expect(ledger.totals()).toMatchObject({ accepted: 2, delivered: 1, open: 1 });
  expect(ledger.lost()).toEqual(['b']);
});

test('an event can arrive before its client has the response', () => {
  const ledger = new Ledger();
  ledger.arrive(arrival('a'));
  expect([ledger.totals().open, ledger.unacknowledged()]).toEqual([0, 1]);
  ledger.accept('a');
  expect([ledger.totals().open, ledger.unacknowledged(), ledger.lost()]).toEqual([0, 0, []]);
});

test('a repeated arrival is a duplicate, and one under another id a second commit', () => {
  const ledger = new Ledger();
  ledger.accept('a');
  for (let i = 0; i < 3; i += 1) ledger.arrive(arrival('a'));
  expect([ledger.totals().duplicates, ledger.committedTwice()]).toEqual([2, 0]);
  ledger.arrive(arrival('a', 'another id'));
  expect([ledger.totals().duplicates, ledger.committedTwice()]).toEqual([2, 1]);
});

test('an arrival without a valid signature does not count as delivered', () => {
  const ledger = new Ledger();
  ledger.accept('a');
  ledger.arrive({ ...arrival('a'), isSigned: false });
  expect([ledger.lost(), ledger.unsigned(), ledger.totals().delivered]).toEqual([['a'], 1, 0]);
});

test('errors are counted by reason', () => {
  const ledger = new Ledger();
  for (const reason of ['ECONNREFUSED', 'HTTP 503', 'HTTP 503']) ledger.fail(reason);
  expect(ledger.errors()).toEqual([
    ['HTTP 503', 2],
    ['ECONNREFUSED', 1],
  ]);
  expect(ledger.totals().errors).toBe(3);
});
