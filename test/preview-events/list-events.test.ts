import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { recordQueries } from '../conversations/queries.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected } from '../support/protection.ts';
import { CONVERSION, post } from './support.ts';

interface Row {
  id: string;
  type: string;
  visitor: string;
  at: Date;
}

const START = Date.UTC(2026, 0, 31, 9, 30);
const COUNT = 120;
const LIST = `query($first: Int, $after: String, $type: String, $visitorId: String, $since: DateTime, $until: DateTime) {
  customEvents(first: $first, after: $after, type: $type, visitorId: $visitorId, since: $since, until: $until) {
    edges { node { id } } pageInfo { hasNextPage endCursor } } }`;

let app: TestApp;
let tenant: TestTenant;
/** The tenant's events, newest first. */
let all: Row[];
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  all = await populate(tenant);
  await populate(await app.newTenant());
});
afterAll(() => app.stop());

/** Stores four events per second, in the order of their ids. */
async function populate({ customerId }: TestTenant): Promise<Row[]> {
  const rows = Array.from({ length: COUNT }, (_, n) => {
    const at = new Date(START + n * 250);
    const type = n % 10 === 0 ? 'rare' : 'page.viewed';
    return { _id: newObjectId(at), type, visitorId: `v_${n % 3}`, createdAt: at };
  });
  await app.models.PreviewEvent.insertMany(
    rows.map((row) => ({ ...row, customerId, occurredAt: row.createdAt })),
  );
  return rows
    .map(({ _id, type, visitorId, createdAt }) => ({
      id: _id.toHexString(),
      type,
      visitor: visitorId,
      at: createdAt,
    }))
    .reverse();
}

interface Filter {
  type?: string;
  visitor?: string;
  since?: Date;
  until?: Date;
}

const matches = ({ type, visitor, since, until }: Filter) =>
  all.filter(
    (row) =>
      (type === undefined || row.type === type) &&
      (visitor === undefined || row.visitor === visitor) &&
      (since === undefined || row.at >= since) &&
      (until === undefined || row.at < until),
  );
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

const get = (query: Record<string, string>, key = tenant.read) =>
  app.request('GET', `/v1/events?${new URLSearchParams(query)}`, { key });

async function walkRest({ type, visitor, since, until }: Filter, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const last = found.at(-1);
    const { status, body } = await get({
      limit: String(limit),
      ...(type && { type }),
      ...(visitor && { visitor_id: visitor }),
      ...(since && { since: since.toISOString() }),
      ...(until && { until: until.toISOString() }),
      ...(last && { starting_after: last }),
    });
    expect(status).toBe(200);
    const { data, has_more } = body as unknown as { data: { id: string }[]; has_more: boolean };
    found.push(...ids(data));
    if (!has_more) return found;
    expect(data).toHaveLength(limit);
  }
}

interface Connection {
  edges: { node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function walkGraphQL({ visitor, ...filter }: Filter, first: number): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const variables = { ...filter, first, after, visitorId: visitor ?? null };
    const { body } = await app.graphql(LIST, variables, tenant.read);
    const { edges, pageInfo } = (body.data as unknown as { customEvents: Connection }).customEvents;
    found.push(...edges.map(({ node }) => node.id));
    if (!pageInfo.hasNextPage) return found;
    after = pageInfo.endCursor;
  }
}

const times: Filter[] = [
  {},
  // Within a second, which the ids alone cannot tell apart.
  { since: new Date(START + 5_250) },
  { until: new Date(START + 20_500) },
  { since: new Date(START + 5_500), until: new Date(START + 20_750) },
  { since: new Date(START + 60_000) },
  { since: new Date('2999-01-01T00:00:00Z') },
  { since: new Date('1969-01-01T00:00:00Z'), until: new Date('2999-01-01T00:00:00Z') },
];
const FILTERS = [undefined, 'rare', 'page.viewed', 'page.veiwed'].flatMap((type) =>
  [undefined, 'v_1'].flatMap((visitor) =>
    times.map((range): Filter => ({ ...range, ...(type && { type }), ...(visitor && { visitor }) })),
  ),
);

test('both APIs list exactly the events that match every combination of filters, page by page, newest first', async () => {
  expect(matches({ type: 'rare', visitor: 'v_1' }).length).toBeGreaterThan(2);
  for (const filter of FILTERS) {
    const expected = ids(matches(filter));
    expect(await walkRest(filter, 17), JSON.stringify(filter)).toEqual(expected);
    expect(await walkGraphQL(filter, 17), JSON.stringify(filter)).toEqual(expected);
  }
});

test('every combination of filters reads one index, in its order, and about as many keys as rows', async () => {
  const queries = await recordQueries(app, 'previewEvents');
  const LIMIT = 4;
  for (const filter of FILTERS) await get({ limit: String(LIMIT), ...queryOf(filter) });
  const made = await queries.stop();
  expect(made).toHaveLength(FILTERS.length);
  for (const [n, { indexes, keysExamined, docsExamined, returned, sorts }] of made.entries()) {
    const { type, visitor } = FILTERS[n] as Filter;
    expect(indexes).toEqual([
      ['customerId_1', ...(visitor ? ['visitorId_1'] : []), ...(type ? ['type_1'] : []), '_id_1'].join('_'),
    ]);
    expect(sorts).toBe(false);
    // Four events have the second of each bound in their id.
    expect(keysExamined).toBeLessThanOrEqual(returned + 9);
    expect(docsExamined).toBeLessThanOrEqual(returned + 8);
  }
});

const queryOf = ({ type, visitor, since, until }: Filter): Record<string, string> => ({
  ...(type && { type }),
  ...(visitor && { visitor_id: visitor }),
  ...(since && { since: since.toISOString() }),
  ...(until && { until: until.toISOString() }),
});

describe('the list', () => {
  test('requires authentication', () =>
    expectProtected(app, { method: 'GET', path: '/v1/events', scope: 'read' }, tenant));

  test('shows an event whose type is mistyped, and no conversion', async () => {
    const fresh = await app.newTenant();
    const { body: mistyped } = await post(app, fresh, {
      type: 'conversoin',
      goal: 'signup',
      visitor_id: 'v_9',
    });
    const { body: conversion } = await post(app, fresh, CONVERSION);
    expect(mistyped.event_id).toBeNull();
    expect(conversion.event_id).toMatch(/^[0-9a-f]{24}$/);
    const { body } = await get({}, fresh.read);
    expect(body).toEqual({ data: [mistyped], has_more: false });
  });

  test('of conversions is refused, with the place where they are', async () => {
    const message = expect.stringContaining('conversion.recorded');
    expect(await get({ type: 'conversion' })).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'type', message }] } },
    });
    const { body } = await app.graphql(LIST, { type: 'conversion' }, tenant.read);
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'type' }],
    });
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['type', 'Capital'],
    ['visitor_id', 'x'.repeat(501)],
    ['since', 'yesterday'],
    ['until', '2026-01-31T09:30'],
    ['cursor', 'x'],
  ])('rejects %s=%s', async (name, value) => {
    expect(await get({ [name]: value })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: name }] } },
    });
  });

  test('does not continue after an event that is unknown or of another tenant', async () => {
    const other = await app.newTenant();
    const { body } = await post(app, other, { type: 'theirs', visitor_id: 'v_1' });
    for (const starting_after of [String(body.id), 'f'.repeat(24), 'nope'])
      expect(await get({ starting_after })).toMatchObject({ status: 404 });
  });

  test('accepts a cursor of the same filters only', async () => {
    const first = await app.graphql(LIST, { first: 1, type: 'rare' }, tenant.read);
    const { pageInfo } = (first.body.data as unknown as { customEvents: Connection }).customEvents;
    const { body } = await app.graphql(LIST, { first: 1, after: pageInfo.endCursor }, tenant.read);
    expect(body.errors?.[0]?.extensions).toMatchObject({ details: [{ path: 'after' }] });
  });
});
