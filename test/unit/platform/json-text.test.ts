import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, MAX_JSON_LEVELS, parseJsonText } from '../../../src/platform/json-text.ts';

/** Returns the problem of a text; null if it is accepted. */
function problemOf(text: string): string | null {
  try {
    parseJsonText(text);
    return null;
  } catch (error) {
    if (error instanceof JsonError) return error.problem;
    throw error;
  }
}

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('JSON that others send', () => {
  test('is what JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'large' }), (text) => {
        expect(parseJsonText(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('is parsed with names and texts that look like syntax', () => {
    const value = { '": {': '\\', 'a\\': '{"a":1,"a":2}', ':': [':', '"', { a: '\\"' }], '\\"': '"a":' };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
      expect(parseJsonText(text)).toEqual(value);
    expect(Object.keys(parseJsonText('{"__proto__":1}') as object)).toEqual(['__proto__']);
  });

  test.each([lists, objects])('has at most 100 levels', (nested) => {
    expect(problemOf(nested(MAX_JSON_LEVELS))).toBeNull();
    expect(problemOf(nested(MAX_JSON_LEVELS + 1))).toBe('is nested more than 100 levels deep.');
    expect(problemOf(nested(200_000))).toBe('is nested more than 100 levels deep.');
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['[{"b":{"a":1}},{"b":{"a":1,"c":[{"a":1}],"\\u0061":2}}]', 'a'],
    ['{"x":"{","y":["}"],"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{ "q\\"": 1, "q\\"" : 2 }', 'q"'],
  ])('repeats no member of an object: %s', (text, name) => {
    expect(problemOf(text)).toBe(`contains the member ${JSON.stringify(name)} twice in one object.`);
  });

  test('repeats no member, wherever the second one is', () => {
    const member = fc.tuple(fc.string(), fc.json());
    fc.assert(
      fc.property(fc.array(member, { minLength: 1 }), fc.nat(), fc.json(), (members, index, extra) => {
        const again = members[index % members.length]?.[0] ?? '';
        const text = [...members, [again, extra]].map(([name, json]) => `${JSON.stringify(name)}:${json}`);
        expect(problemOf(`[{${text.join()}}]`)).toMatch(/twice in one object/);
      }),
    );
  });

  test('is valid', () => {
    for (const text of ['', '{', '{"a":1,}', '\ufeff{}']) expect(problemOf(text)).toBe('is not valid JSON.');
  });
});
