import { gunzipSync } from 'node:zlib';
import { type GraphQLObjectType, Kind, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchemas } from '../../../schema/index.ts';
import {
  checkCost,
  documentLimitError,
  fieldAliasesError,
} from '../../../src/http/graphql/document-limits.ts';
import { EXAMPLES } from '../../../src/http/graphql/examples/graphiql-examples.ts';
import { createGraphQL } from '../../../src/http/graphql/graphql-endpoint.ts';
import { rootFieldsOf } from '../../../src/http/graphql/operation.ts';
import { checkVariables } from '../../../src/http/graphql/operation-variables.ts';
import { createTenantTurns } from '../../../src/limits/tenant-turns.ts';
import { caller } from './endpoint.ts';

const schema = buildSchemas().graphql;
const turns = createTenantTurns();
const { services } = caller().context;
const { page, assets } = createGraphQL({ schema, turns });
const demoKeys = { read: 'eg_r_demo</script>', write: 'eg_w_demo', admin: 'eg_a_demo' };
const html = page('n0nce', { demoKeys, isDemo: true });

describe('the GraphiQL page', () => {
  test('loads its own two files and a data address only', () => {
    const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    const links = ['/console', '/graphql', '/api/v1/docs', '/v1/docs', '/api/docs'];
    expect(addresses.sort()).toEqual(['data:,', ...links, ...assets.map(({ path }) => path)].sort());
    expect(html).not.toMatch(/https?:\/\/(?!example\.com)/);
    for (const { path } of assets)
      expect(path).toMatch(/^\/graphql\/assets\/\d+\.\d+\.\d+\/graphiql\.(js|css)$/);
  });

  test('has a nonce on every script, and no style or handler inline', () => {
    const scripts = html.match(/<script[^>]*>/g) ?? [];
    expect(scripts).toHaveLength(3);
    for (const script of scripts) expect(script).toContain('nonce="n0nce"');
    for (const style of html.match(/<style[^>]*>/g) ?? []) expect(style).toContain('nonce="n0nce"');
    expect(html).not.toMatch(/\sstyle=|\son\w+=/);
  });

  test('has the demo key prefilled, escaped so that it cannot end its script', () => {
    expect(html).toContain('eg_r_demo\\u003c/script>');
    expect(html.match(/<\/script>/g)).toHaveLength(3);
  });

  test('gives each example the demo key of the scope that it requires', () => {
    for (const key of ['eg_w_demo', 'eg_a_demo']) expect(html).toContain(key);
    expect(page('n0nce', { demoKeys: null, isDemo: true })).not.toContain('eg_');
  });

  test('has no prefilled key without a demo key', () => {
    const plain = page('n0nce', { demoKeys: null, isDemo: false });
    expect(plain).not.toContain('eg_');
    expect(plain).not.toContain('demo.env');
    expect(page('n0nce', { demoKeys: null, isDemo: true })).toContain('demo.env');
  });

  test('does not keep typed keys in the browser, and subscribes by POST', () => {
    expect(html).toContain('"shouldPersistHeaders":false');
    expect(html).toContain('"method":"POST"');
  });
});

test('its files are complete and self-contained', async () => {
  const [css, js] = await Promise.all(assets.map(async ({ gzip }) => gunzipSync(await gzip()).toString()));
  expect(css).toContain('.graphiql-container');
  expect(css).not.toMatch(/@import|url\((?!["']?data:)(?!["']?#)/);
  expect(js).toContain('renderYogaGraphiQL');
  // Compiles as a script, and needs neither eval nor Function, which the page's policy forbids.
  expect(() => new Function(js ?? '')).not.toThrow();
  expect(js).not.toMatch(/[^.\w]eval\(|new Function\(/);
});

/** Every operation of the tabs, with the variables that GraphiQL sends along with it. */
const OPERATIONS = EXAMPLES.flatMap(({ query, variables = {} }) => {
  const document = parse(query);
  return document.definitions.flatMap((operation) =>
    operation.kind === Kind.OPERATION_DEFINITION
      ? [[operation.name?.value ?? '', { document, operation, variables }] as const]
      : [],
  );
});

test.each(OPERATIONS)(
  'the example %s is valid and within the limits, and so are its variables',
  (_name, { document, operation, variables }) => {
    expect(validate(schema, document)).toEqual([]);
    expect(documentLimitError(document)).toBeNull();
    expect(fieldAliasesError(document)).toBeNull();
    const rootFields = rootFieldsOf({ schema, document, operation, variables });
    expect(() =>
      checkVariables({ schema, document, operation, rootFields, variables }, services),
    ).not.toThrow();
    expect(() => checkCost({ schema, document, operation, variables })).not.toThrow();
  },
);

test('the examples cover every root field of the schema, under unique names', () => {
  const names = OPERATIONS.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  const roots = (type: GraphQLObjectType | null | undefined) => Object.keys(type?.getFields() ?? {});
  const shown = OPERATIONS.flatMap(([, { operation }]) =>
    operation.selectionSet.selections.map((field) => (field.kind === Kind.FIELD ? field.name.value : '')),
  );
  expect(new Set(shown)).toEqual(
    new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(roots)),
  );
});
