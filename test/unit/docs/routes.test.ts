import { describe, expect, test } from 'vitest';
import { MOUNT_BASE } from '../../../src/http/rest/rest-routes.ts';
import { createRoutes } from '../../../src/sidecar/api/sidecar-routes.ts';
import { documents, read } from './support.ts';

type Routes = Record<string, Record<string, unknown>>;

/** `GET /customers/{}/webhook-endpoints`: a route without the names of its parameters. */
const normalized = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}|:\w+/g, '{}')}`;

const routesOf = (routes: Routes, base = ''): string[] =>
  Object.entries(routes).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => normalized(method, base + path)),
  );

const mounts = Object.entries(MOUNT_BASE).map(([mount, base]) => {
  const { paths } = JSON.parse(read(`schema/printed/openapi.${mount}.json`)) as { paths: Routes };
  return { base, paths };
});

/** Routes as the contract names them below the base of each mount. */
const relative = mounts.flatMap(({ paths }) => routesOf(paths));
const absolute = [
  ...mounts.flatMap(({ base, paths }) => [
    ...routesOf(paths, base),
    ...['', '/docs', '/openapi.json', '/openapi.yaml'].map((path) => `GET ${base}${path}`),
  ]),
  ...['GET /api/health', 'GET /metrics', 'GET /graphql', 'POST /graphql', 'GET /console'],
  ...['POST /console/session', 'DELETE /console/session', 'DELETE /console/sessions'],
  normalized('POST', '/hooks/recorder/:token'),
  ...['GET /.well-known/webhook-keys.json', 'GET /api/v1/asyncapi.json', 'GET /api/v1/asyncapi.yaml'],
];
const ofSidecar = routesOf(createRoutes({} as Parameters<typeof createRoutes>[0]) as Routes);
const ofProvider = ['GET /user', 'GET /meetings', 'GET /teams'];

const paths = new Set(absolute.map((route) => route.replace(/^\S+ /, '')));

/** Beginning of the paths that the contract abbreviates. */
const ENDPOINTS = '/customers/:customerId/webhook-endpoints';

const routesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) ((?:…|\/)[\w./:…-]*)/g)].map(
    ([, method = '', path = '']) => normalized(method, path.replace('…', ENDPOINTS)),
  );

/** Paths in code spans that begin like a path of the service. */
const pathsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/`(\/(?:api|v1|graphql|metrics|console)\b[\w./:-]*)`/g)].map(([, path = '']) => path);

describe.each(documents)('%s', (document) => {
  test('names only routes that exist', () => {
    const known = new Set([...absolute, ...relative, ...ofSidecar, ...ofProvider]);
    expect(routesIn(read(document)).filter((route) => !known.has(route))).toEqual([]);
  });

  test('names only paths that exist', () => {
    expect(pathsIn(read(document)).filter((path) => !paths.has(path))).toEqual([]);
  });
});

test('the contract names every route of the printed OpenAPI documents and of the sidecar', () => {
  const documented = new Set(routesIn(read('docs/contract.md')));
  expect([...relative, ...ofSidecar].filter((route) => !documented.has(route))).toEqual([]);
});

test('the tour of the README calls only paths that exist', () => {
  const called = [...read('README.md').matchAll(/\$BASE_URL(\/[\w./$-]*)/g)].map(([, path = '']) =>
    path.replaceAll(/\$\w+/g, '{}'),
  );
  expect(called.length).toBeGreaterThan(1);
  expect(called.filter((path) => !paths.has(path))).toEqual([]);
});
