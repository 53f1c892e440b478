import { execute, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { compiledExecutor } from '../../src/http/graphql/compiled-executor.ts';
import { contextOf } from './endpoint.ts';

const schema = buildSchemas().graphql;

/** Executes a document often enough to have it compiled, and returns the first and the last result. */
async function interpretedAndCompiled(text: string, variableValues: Record<string, unknown> = {}) {
  let interpreted = 0;
  const executor = compiledExecutor(schema, (args) => {
    interpreted += 1;
    return execute(args);
  });
  const document = parse(text);
  const contextValue = await contextOf('read');
  const answers: unknown[] = [];
  for (let i = 0; i < 6; i++) {
    const { data, errors } = await executor({
      schema,
      document,
      contextValue,
      variableValues,
    });
    answers.push(
      JSON.parse(
        JSON.stringify({
          data,
          errors: errors?.map(({ message, path, locations }) => ({ message, path, locations })),
        }),
      ),
    );
  }
  return { first: answers[0], last: answers.at(-1), compiled: interpreted < 6 };
}

describe('a frequent query is compiled, and returns the same result', () => {
  test.each([
    ['plain', '{ viewer { scope expiresAt tenant { customerId createdAt } } }', {}],
    [
      'with an alias, a fragment and a type name',
      '{ me: viewer { ...V } } fragment V on Viewer { __typename scope }',
      {},
    ],
    ['with a list of objects', '{ eventTypes { name schema example } }', {}],
    [
      'with directives',
      'query ($yes: Boolean!) { viewer { scope @include(if: $yes) tenant @skip(if: $yes) { name } } }',
      { yes: true },
    ],
    ['with a refused field', '{ tenants { edges { cursor } } }', {}],
    ['with a refused nullable sibling', '{ viewer { scope } webhookEndpoint(id: 1) { id } }', {}],
    [
      'with a refused argument',
      'query ($n: Int) { webhookEndpoints(first: $n) { edges { cursor } } }',
      { n: 0 },
    ],
    [
      'with a variable called constructor that is not given',
      'query ($constructor: Int, $e: String) { webhookDeliveries(first: $constructor, event: $e) { edges { cursor } } }',
      { e: 'x' },
    ],
  ])('%s', async (_what, text, variables) => {
    const { first, last, compiled } = await interpretedAndCompiled(text, variables);
    expect(compiled).toBe(true);
    expect(last).toEqual(first);
  });
});

describe('a document that the compiler handles wrongly or slowly is never compiled', () => {
  test.each([
    ['defaults of variables', 'query ($yes: Boolean = true) { viewer { scope @include(if: $yes) } }'],
    ['fragments spread twice', '{ a: viewer { ...V } b: viewer { ...V } } fragment V on Viewer { scope }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    [
      'mutations',
      'mutation ($d: String) { updateWebhookEndpoint(id: 1, input: { description: $d }) { id } }',
    ],
  ])('%s', async (_what, text) => {
    const { first, last, compiled } = await interpretedAndCompiled(text);
    expect(compiled).toBe(false);
    expect(last).toEqual(first);
  });
});
