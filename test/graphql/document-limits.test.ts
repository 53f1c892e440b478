import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { DOCUMENT_LIMITS } from '../../src/http/graphql/document-limits.ts';
import { createGraphQL } from '../../src/http/graphql/graphql-endpoint.ts';
import { createTenantTurns } from '../../src/limits/tenant-turns.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { codeOf, contextOf, query, send, sendText } from './endpoint.ts';

const repeat = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

/** Refused as a document that cannot be read, and fast. */
async function expectRefusal(
  document: string,
  message: RegExp,
  variables?: Record<string, unknown>,
): Promise<void> {
  const cpuMs = await cpuMsOf(async () => {
    const reply = await query(document, variables);
    expect(reply).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_REQUEST', requestId: 'req-1' } }],
    });
    expect(reply.errors?.[0]?.message).toMatch(message);
    expect(reply).not.toHaveProperty('data');
  });
  expect(cpuMs).toBeLessThan(1_000);
}

describe('a document is rejected with 400', () => {
  test('when its fields are nested 5,000 deep', () =>
    expectRefusal('{a'.repeat(5_000) + '}'.repeat(5_000), /tokens|deep/));

  test('when its list literal is nested 20,000 deep', () =>
    expectRefusal(`{ eventTypes(x: ${'['.repeat(20_000)}${']'.repeat(20_000)}) { name } }`, /tokens|deep/));

  test('when its list literal is nested as deep as the tokens allow', () =>
    expectRefusal(`{ eventTypes(x: ${'['.repeat(980)}${']'.repeat(980)}) { name } }`, /deep/));

  test('when its fields are nested as deep as the tokens allow', () =>
    expectRefusal('{a'.repeat(660) + '}'.repeat(660), /deep/));

  test('when it has too many tokens', () =>
    expectRefusal(`{ viewer { ${'scope '.repeat(DOCUMENT_LIMITS.tokens)} } }`, /2000 tokens/));

  test('when it is too long, even because of a comment', () =>
    expectRefusal(`{ viewer { scope } } #${'x'.repeat(DOCUMENT_LIMITS.characters)}`, /body/));

  test('when it has too many aliases', () =>
    expectRefusal(`{ viewer { ${repeat(60, (i) => `a${i}: scope`)} } }`, /aliases/));

  test('when it has too many directives', () =>
    expectRefusal(`{ viewer { scope ${'@include(if: true) '.repeat(60)} } }`, /directives/));

  test('when it has too many root fields, directly or in fragments', async () => {
    await expectRefusal(`{ ${repeat(21, (i) => `a${i}: viewer { scope }`)} }`, /root fields/);
    await expectRefusal(
      `{ ...F } fragment F on Query { ${repeat(21, (i) => `a${i}: viewer { scope }`)} }`,
      /root fields/,
    );
  });

  test('when it introspects more than once or twice', () =>
    expectRefusal(`{ ${repeat(3, (i) => `a${i}: __schema { types { name } }`)} }`, /introspections/));

  test('when its lists would have too many rows in all, by literals or variables', async () => {
    const nested = 'edges { node { id url deliveries(first: 100) { edges { node { id status event } } } } }';
    await expectRefusal(`{ webhookEndpoints(first: 100) { ${nested} } }`, /cost/);
    await expectRefusal(
      `query ($n: Int) { a: webhookEndpoints(first: $n) { ${nested} } b: webhookEndpoints(first: $n) { ${nested} } }`,
      /cost/,
      { n: 100 },
    );
  });

  test('when fragments spread each other many times over', async () => {
    const levels = repeat(
      40,
      (i) => `fragment F${i} on Viewer { a${i}: tenant { name } ...F${i + 1} ...F${i + 1} }`,
    );
    const reply = await query(`{ viewer { ...F0 } } ${levels} fragment F40 on Viewer { scope }`);
    expect(reply.status).toBe(400);
  });

  test('when fragments contain each other', () =>
    expectRefusal(
      '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
      /within itself/,
    ));

  test('when thousands of fields may conflict', async () => {
    const cpuMs = await cpuMsOf(async () => {
      const reply = await query(`{ viewer { ${'tenant { name } '.repeat(480)} } }`);
      expect([200, 400]).toContain(reply.status);
    });
    expect(cpuMs).toBeLessThan(1_000);
  });
});

const complete = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

describe('an introspection', () => {
  const endpoint = createGraphQL({ schema: buildSchemas().graphql, turns: createTenantTurns() });

  /** The same field under three aliases. */
  const three = (field: string, selection: string) =>
    ['a', 'b', 'c'].map((alias) => `${alias}: ${field} { ${selection} }`).join(' ');
  const levels = ['fields', 'type', 'ofType', 'fields', 'type', 'ofType'];
  const fragments = levels.map(
    (field, i) =>
      `fragment F${i} on ${field === 'type' ? '__Field' : '__Type'} { ${three(field, `...F${i + 1}`)} }`,
  );
  const attack = [...fragments, `fragment F${levels.length} on __Type { name }`].join(' ');

  test.each([
    ['__schema', `{ __schema { types { ...F0 } } } ${attack}`],
    ['__type', `query ($name: String = "Query") { __type(name: $name) { ...F0 } } ${attack}`],
    ['a fragment', `{ ...Root } fragment Root on Query { s: __schema { types { ...F0 } } } ${attack}`],
  ])('with three aliases a level is refused before it runs, below %s', async (_, document) => {
    await query('{ viewer { scope } }');
    const cpuMs = await cpuMsOf(() =>
      expectRefusal(
        document,
        /^Query cost exceeds the maximum of 20000: the introspection returns more fields/,
      ),
    );
    expect(cpuMs).toBeLessThan(500);
  });

  test('costs half of the maximum if it is complete, and can be made twice', async () => {
    const charged: number[] = [];
    const charge = async (points: number) => void charged.push(points);
    const context = await contextOf('read');
    const body = { query: getIntrospectionQuery(complete) };
    await endpoint.handle({ body, accept: undefined, charge }, context);
    // A cost of 100 takes a point; the request itself has paid the first one.
    expect(charged).toEqual([DOCUMENT_LIMITS.cost / 2 / 100]);
    const twice = getIntrospectionQuery().replace('{', '{ again: __schema { types { ...FullType } }');
    expect((await query(twice)).errors).toBeUndefined();
  });

  test('costs in proportion to the fields of its response', async () => {
    const charged: number[] = [];
    const charge = async (points: number) => void charged.push(points);
    for (const selection of ['name', 'name isDeprecated', 'name isDeprecated description']) {
      const body = { query: `{ __schema { types { fields { ${selection} } } } }` };
      await endpoint.handle({ body, accept: undefined, charge }, await contextOf('read'));
    }
    const [one = 0, two = 0, three = 0] = charged;
    expect(two - one).toBeGreaterThan(0);
    expect(three - two).toBeCloseTo(two - one, -1);
  });
});

describe('a document is executed', () => {
  test('when it is the complete introspection query', async () => {
    const reply = await query(getIntrospectionQuery(complete));
    expect(reply.status).toBe(200);
    expect(reply.errors).toBeUndefined();
  });

  test('when it has twenty root fields', async () => {
    const fields = [
      'viewer { scope }',
      'eventTypes { name }',
      '__typename',
      '__type(name: "Query") { name }',
    ];
    const aliases = fields.map((field, n) => repeat(5, (i) => `a${n}${i}: ${field}`));
    const reply = await query(`{ ${aliases.join(' ')} }`);
    expect(reply).toMatchObject({ status: 200, data: { a04: { scope: 'write' }, a34: { name: 'Query' } } });
  });

  test('when its variables are much larger than a document may be', async () => {
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
    const reply = await query('mutation ($i: RecordEventInput!) { recordEvent(input: $i) { id } }', {
      i: { type: 'seen', visitorId: 'v1', properties },
    });
    expect(reply).toMatchObject({
      status: 200,
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'input.properties' }] } }],
    });
  });
});

test('variables nested 100,000 deep are a malformed request, not an internal error', async () => {
  // As text: JSON.stringify would exceed the stack.
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const text = 'mutation ($i: RecordEventInput!) { recordEvent(input: $i) { id } }';
  const reply = await sendText(
    `{"query":"${text}","variables":{"i":{"type":"seen","visitorId":"v1","properties":${deep}}}}`,
  );
  expect([reply.status, codeOf(reply)]).toEqual([400, 'BAD_REQUEST']);
});

test('batches are rejected', async () => {
  const reply = await send([{ query: '{ viewer { scope } }' }, { query: '{ viewer { scope } }' }]);
  expect(reply).toMatchObject({
    status: 400,
    errors: [{ message: 'Batched operations are not supported; send one operation per request.' }],
  });
});
