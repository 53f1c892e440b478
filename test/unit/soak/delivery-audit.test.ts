import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import { compare } from '../../soak/delivery-audit.ts';

const attempt = (responseStatus: number | null) => ({ responseStatus }) as never;
const delivery = (status: string, ...responses: (number | null)[]) =>
  ({ _id: new Types.ObjectId(), status, attempts: responses.map(attempt) }) as never as Parameters<
    typeof compare
  >[0][number];
const request = ({ _id }: { _id: Types.ObjectId }, status: number | null, atMs = 0) => ({
  delivery: _id.toHexString(),
  atMs,
  status,
});

test('deliveries that end as the receiver knows them are in order', () => {
  const [one, two] = [delivery('succeeded', 500, 200), delivery('failed', 500)];
  const audit = compare([one, two], [request(one, 500), request(one, 200), request(two, 500)], []);
  expect(audit).toMatchObject({ received: 3, logged: 3, unlogged: 0, invented: 0, duplicates: {} });
  expect([audit.hidden, audit.unfounded, audit.open]).toEqual([[], [], []]);
});

test('wrong statuses and logs are found', () => {
  const [hidden, unfounded, open] = [
    delivery('failed', 500),
    delivery('succeeded', 200),
    delivery('retrying'),
  ];
  const audit = compare([hidden, unfounded, open], [request(hidden, 500), request(hidden, 200)], []);
  expect(audit).toMatchObject({ unlogged: 1, invented: 1 });
  expect([audit.hidden, audit.unfounded, audit.open]).toEqual(
    [hidden, unfounded, open].map(({ _id }) => [_id.toHexString()]),
  );
});

test('a duplicate is attributed to the cut response, or to the fault before it', () => {
  const [cut, killed, free] = [
    delivery('succeeded', 200),
    delivery('succeeded', 200),
    delivery('succeeded', 200),
  ];
  const faults = [{ fault: 'kill' as const, atMs: 1_000 }];
  const received = [
    ...[request(cut, null), request(cut, 200)],
    ...[request(killed, 200, 900), request(killed, 200, 9_000)],
    ...[request(free, 200, 500_000), request(free, 200, 500_001)],
  ];
  expect(compare([cut, killed, free], received, faults).duplicates).toEqual({
    'response cut': 1,
    kill: 1,
    none: 1,
  });
});
