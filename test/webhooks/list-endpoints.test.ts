import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, endpointsPath } from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const LIST = `query ($first: Int, $after: String) {
  webhookEndpoints(first: $first, after: $after) {
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A tenant with so many endpoints; their ids, newest first. */
async function withEndpoints(count: number): Promise<{ tenant: TestTenant; path: string; ids: number[] }> {
  const tenant = await app.newTenant();
  const ids: number[] = [];
  for (let i = 0; i < count; i += 1) ids.unshift((await createEndpoint(app, tenant, { url: URL })).id);
  return { tenant, path: endpointsPath(tenant.customerId), ids };
}

/** One page: its ids, and how it goes on. */
async function page(tenant: TestTenant, path: string, query: string) {
  const { status, body } = await app.request('GET', path + query, { key: tenant.read });
  expect(status).toBe(200);
  const { data, nextCursor, hasMore } = body as unknown as {
    data: { id: number }[];
    nextCursor: string | null;
    hasMore: boolean;
  };
  return { ids: data.map(({ id }) => id), nextCursor, hasMore };
}

describe('listing webhook endpoints', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, LIST, {}, []);
  });

  test('returns all of them, newest first and without secrets, if they fit on a page', async () => {
    const { tenant, path, ids } = await withEndpoints(3);
    await withEndpoints(1);
    expect(await page(tenant, path, '')).toEqual({ ids, nextCursor: null, hasMore: false });
    expect(JSON.stringify((await app.request('GET', path, { key: tenant.read })).body)).not.toMatch(
      /whsec_|secret/,
    );
  });

  test('pages with each endpoint once, while others are added and removed', async () => {
    const { tenant, path, ids } = await withEndpoints(7);
    const first = await page(tenant, path, '?limit=3');
    expect(first).toMatchObject({ ids: ids.slice(0, 3), hasMore: true });
    await createEndpoint(app, tenant, { url: URL });
    await app.request('DELETE', `${path}/${ids[2]}`, { key: tenant.write });
    const second = await page(tenant, path, `?limit=3&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ ids: ids.slice(3, 6), hasMore: true });
    const third = await page(tenant, path, `?limit=3&cursor=${second.nextCursor}`);
    expect(third).toEqual({ ids: ids.slice(6), nextCursor: null, hasMore: false });
  });

  test('returns the same through a GraphQL connection', async () => {
    const { tenant, ids } = await withEndpoints(3);
    const { body } = await app.graphql(LIST, { first: 2 }, tenant.read);
    const connection = body.data?.webhookEndpoints;
    expect(connection).toMatchObject({
      edges: [{ node: { id: ids[0] } }, { node: { id: ids[1] } }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const rest = await app.graphql(LIST, { after: connection?.pageInfo?.endCursor }, tenant.read);
    expect(rest.body).toMatchObject({
      data: {
        webhookEndpoints: {
          edges: [{ node: { id: ids[2] } }],
          pageInfo: { hasNextPage: false, hasPreviousPage: true },
        },
      },
    });
  });

  test('rejects a cursor that is malformed, truncated, or of another list', async () => {
    const { tenant, path } = await withEndpoints(2);
    const { nextCursor } = await page(tenant, path, '?limit=1');
    const other = await withEndpoints(2);
    const foreign = (await page(other.tenant, other.path, '?limit=1')).nextCursor;
    const forged = Buffer.from(JSON.stringify([{ $gt: 0 }, 'x'])).toString('base64url');
    for (const cursor of ['garbage', String(nextCursor).slice(0, -2), foreign, forged, '%00']) {
      const answer = await app.request('GET', `${path}?cursor=${cursor}`, { key: tenant.read });
      expect(answer).toMatchObject({
        status: 422,
        body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'cursor' }] } },
      });
    }
    const { body } = await app.graphql(LIST, { after: 'garbage' }, tenant.read);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
  });

  test.each(['0', '-1', '201', '1.5', 'ten', '', '1e1'])('rejects a limit of "%s"', async (limit) => {
    const tenant = await app.newTenant();
    const answer = await app.request('GET', `${endpointsPath(tenant.customerId)}?limit=${limit}`, {
      key: tenant.read,
    });
    expect(answer).toMatchObject({ status: 422, body: { error: { details: [{ path: 'limit' }] } } });
  });

  test('accepts a limit of up to 200', async () => {
    const { tenant, path, ids } = await withEndpoints(1);
    expect(await page(tenant, path, '?limit=200')).toMatchObject({ ids });
  });
});
