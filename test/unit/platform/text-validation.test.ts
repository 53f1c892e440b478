import { describe, expect, test } from 'vitest';
import { text } from '../../../src/platform/text-validation.ts';

const problem = (schema: ReturnType<typeof text>, value: string) =>
  schema.safeParse(value).error?.issues[0]?.message;

const HIDDEN = [
  ['a line feed', '\n'],
  ['a tab', '\t'],
  ['NUL', '\0'],
  ['an escape sequence of a terminal', '\u001b[31m'],
  ['DEL', '\u007f'],
  ['a C1 control character', '\u009b'],
  ['a line separator', '\u2028'],
  ['a right-to-left override', '\u202e'],
  ['a left-to-right mark', '\u200e'],
  ['an Arabic letter mark', '\u061c'],
  ['a bidirectional isolate', '\u2066'],
] as const;

describe('a name', () => {
  test.each(HIDDEN)('does not contain %s', (_name, character) => {
    expect(problem(text(), `Ac${character}me`)).toMatch(/^Must not contain control characters/);
  });

  test('is well-formed', () => {
    expect(problem(text(), 'Ac\ud800me')).toBe('Must be well-formed Unicode.');
  });

  test.each(['Zoë Müller', '株式会社', 'חברה בע"מ', 'شرکت می‌خواهم', '👩‍💻 Ltd', 'a b'])(
    'may be %s',
    (name) => {
      expect(problem(text(), name)).toBeUndefined();
    },
  );
});

describe('a text of several lines', () => {
  test.each(HIDDEN)('may contain %s', (_name, character) => {
    expect(problem(text({ multiline: true }), `first${character}second`)).toBeUndefined();
  });

  test('is well-formed', () => {
    expect(problem(text({ multiline: true }), '\udc00')).toBe('Must be well-formed Unicode.');
  });
});
