import { printType } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builder } from '../../schema/builder.ts';
import { buildSchemas } from '../../schema/index.ts';
import { restField } from '../../schema/rest-route.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';

const LINK = 'https://docs.example.com/versioning#retired-list';

const route = {
  mount: 'v1',
  method: 'GET',
  scope: 'read',
  tag: 'Event types',
  resource: 'any',
  summary: 'Retired list',
  example: { response: { retired: true } },
} as const;

// A declaration like any other; the schemas of this process are built after it.
builder.queryFields((t) => ({
  retiredList: t.field({
    ...restField({
      ...route,
      graphql: true,
      path: '/retired-list',
      deprecated: { since: '2026-11-30', sunset: '2027-05-31', link: LINK },
    }),
    type: 'JSON',
    description: 'A retired list.',
    resolve: () => ({ retired: true }),
  }),
  agingList: t.field({
    ...restField({ ...route, path: '/aging-list', deprecated: { since: '2026-11-30', link: LINK } }),
    type: 'JSON',
    description: 'A list that is deprecated and stays.',
    resolve: () => ({}),
  }),
}));

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const get = (path: string, key?: string) => app.request('GET', path, { key });
const headersOf = ({ headers }: { headers: Headers }) =>
  Object.fromEntries(['deprecation', 'sunset', 'link'].map((name) => [name, headers.get(name)]));

const HEADERS = {
  // 2026-11-30T00:00:00Z
  deprecation: '@1795996800',
  sunset: 'Mon, 31 May 2027 00:00:00 GMT',
  link: `<${LINK}>; rel="deprecation"; type="text/html"`,
};

test('every response of a deprecated route carries Deprecation, Sunset and Link', async () => {
  const success = await get('/api/v1/retired-list', tenant.read);
  expect(success).toMatchObject({ status: 200, body: { retired: true } });
  expect(headersOf(success)).toEqual(HEADERS);
  const refused = await get('/api/v1/retired-list');
  expect(refused.status).toBe(401);
  expect(headersOf(refused)).toEqual(HEADERS);
});

test('Sunset is absent until the date of the removal is decided', async () => {
  expect(headersOf(await get('/api/v1/aging-list', tenant.read))).toEqual({ ...HEADERS, sunset: null });
});

test('other routes have none of them', async () => {
  expect(headersOf(await get('/api/v1/event-types', tenant.read))).toEqual({
    deprecation: null,
    sunset: null,
    link: null,
  });
});

test('OpenAPI marks the operation and describes its headers', async () => {
  const { body } = await get('/api/v1/openapi.json');
  const paths = body.paths as unknown as Record<
    string,
    { get: { deprecated?: boolean; responses: Record<string, { headers: object }> } }
  >;
  const operation = Object.entries(paths).find(([path]) => path.endsWith('/retired-list'))?.[1].get;
  expect(operation?.deprecated).toBe(true);
  expect(operation?.responses['200']?.headers).toMatchObject({
    Deprecation: { example: HEADERS.deprecation },
    Sunset: { example: HEADERS.sunset },
    Link: { example: HEADERS.link },
  });
  const other = Object.entries(paths).find(([path]) => path.endsWith('/event-types'))?.[1].get;
  expect(other).not.toHaveProperty('deprecated');
});

test('GraphQL marks the field', () => {
  const query = buildSchemas().graphql.getQueryType();
  expect(query && printType(query)).toContain(
    `retiredList: JSON! @deprecated(reason: "Deprecated since 2026-11-30, will be removed on 2027-05-31. See ${LINK}")`,
  );
});
