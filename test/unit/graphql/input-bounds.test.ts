import { GraphQLEnumType } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { codeOf, query, type Reply, schema, send } from './endpoint.ts';

const APPEND = `mutation ($messages: [MessageInput!]!) {
  appendMessages(conversationId: "665f1c2ab8e4d3a1f0c9b7e6", messages: $messages) { id } }`;
const CREATE =
  'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';

const MAX_ERROR_BYTES = 64_000;
const sizeOf = (reply: Reply) => Buffer.byteLength(JSON.stringify(reply));
const detailsOf = (reply: Reply) => reply.errors?.[0]?.extensions.details ?? [];
const zeros = (count: number) => Array.from({ length: count }, () => 0);

/** Counts the values of an enum that are coerced while `run` runs. */
async function countCoercions(typeName: string, run: () => Promise<unknown>): Promise<number> {
  const type = schema.getType(typeName);
  if (!(type instanceof GraphQLEnumType)) throw new Error(`${typeName} is not an enum`);
  const parse = vi.spyOn(type, 'parseValue');
  try {
    await run();
    return parse.mock.calls.length;
  } finally {
    parse.mockRestore();
  }
}

describe('a list in variables', () => {
  test('is not coerced if the key lacks the scope of the operation', async () => {
    const messages = Array.from({ length: 400 }, () => ({ role: 'nope', text: 'x' }));
    let reply: Reply | undefined;
    const coerced = await countCoercions('MessageRole', async () => {
      reply = await query(APPEND, { messages }, 'read');
    });
    expect(coerced).toBe(0);
    expect(reply).toMatchObject({
      status: 200,
      data: null,
      errors: [{ path: ['appendMessages'], extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('is not coerced either if the operation includes the field by a variable', async () => {
    const text = APPEND.replace('($', '($on: Boolean! = true, $').replace(
      ') { id }',
      ') @include(if: $on) { id }',
    );
    expect(
      await countCoercions('MessageRole', () => query(text, { messages: [{ role: 'x' }] }, 'read')),
    ).toBe(0);
    const skipped = text.replace('$on: Boolean! = true', '$on: Boolean! = false');
    expect(await query(skipped, { messages: [] }, 'read')).toMatchObject({ status: 200, data: {} });
  });

  test.each([
    ['of an argument', APPEND, { messages: zeros(500_000) }, 'messages', /at most 500 /],
    [
      'of a field',
      CREATE,
      { input: { url: 'https://example.com/', events: Array.from({ length: 100_000 }, () => '') } },
      'input.events',
      /at most \d+ /,
    ],
  ])('that is too long is one detail: %s', async (_name, text, variables, path, message) => {
    const reply = await query(text, variables);
    expect(codeOf(reply)).toBe('VALIDATION_FAILED');
    expect(detailsOf(reply)).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect(sizeOf(reply)).toBeLessThan(1_000);
  });

  test('is coerced until 50 of its items are invalid', async () => {
    const messages = Array.from({ length: 500 }, () => ({ role: 'nope', text: 'x' }));
    let reply: Reply | undefined;
    const coerced = await countCoercions('MessageRole', async () => {
      reply = await query(APPEND, { messages });
    });
    expect(reply && detailsOf(reply)).toHaveLength(50);
    expect(coerced).toBeLessThanOrEqual(51);
  });
});

describe('an error response has at most 64 KB', () => {
  test('with the longest details', async () => {
    const events = Array.from({ length: 10 }, () => '\u0001'.repeat(100_000));
    const messages = Array.from({ length: 500 }, () => ({ role: '\u0001'.repeat(300), text: 'x' }));
    for (const reply of [
      await query(CREATE, { input: { url: 'https://example.com/', events } }),
      await query(APPEND, { messages }),
    ]) {
      expect(codeOf(reply)).toBe('VALIDATION_FAILED');
      expect(detailsOf(reply).length).toBeGreaterThan(0);
      expect(sizeOf(reply)).toBeLessThanOrEqual(MAX_ERROR_BYTES);
    }
  });

  test('with many errors', async () => {
    const unknown = Array.from({ length: 60 }, (_, i) => `f${i}${'x'.repeat(1_000)}`).join(' ');
    const reply = await query(`{ ${unknown} }`);
    expect(reply.status).toBe(400);
    expect(reply.errors?.length).toBeGreaterThan(0);
    expect(sizeOf(reply)).toBeLessThanOrEqual(MAX_ERROR_BYTES);
  });

  test('with one long message or path', async () => {
    for (const reply of [
      await query(`{ ${'x'.repeat(65_000)} }`),
      await send({ query: '{ viewer { scope } }', ['k'.repeat(500_000)]: 1 }),
      await query(`{ ${'a'.repeat(60_000)}: tenants { edges { cursor } } }`),
    ]) {
      expect(reply.errors).toHaveLength(1);
      expect(sizeOf(reply)).toBeLessThanOrEqual(MAX_ERROR_BYTES);
    }
  });
});

describe('a number beyond the range of numbers is invalid', () => {
  test.each([
    [
      'input.value',
      'mutation { recordConversion(conversationId: "1", input: { goal: "g", value: 1e999 }) { id } }',
    ],
    ['input.value', 'mutation { recordEvent(input: { type: "a", visitorId: "v", value: -1e999 }) { id } }'],
    [
      'input.properties',
      'mutation { recordEvent(input: { type: "a", visitorId: "v", properties: { n: [1e999] } }) { id } }',
    ],
  ])('%s in a literal: %s', async (path, text) => {
    const reply = await query(text);
    expect(codeOf(reply)).toBe('VALIDATION_FAILED');
    expect(detailsOf(reply)).toEqual([{ path, message: expect.any(String) }]);
  });

  test('in the default of a variable', async () => {
    const reply = await query(
      'mutation ($v: Float = 1e999) { recordEvent(input: { type: "a", visitorId: "v", value: $v }) { id } }',
    );
    expect(codeOf(reply)).toBe('VALIDATION_FAILED');
  });
});
