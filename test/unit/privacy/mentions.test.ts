import { describe, expect, test } from 'vitest';
import { mentionsOf } from '../../../src/features/privacy/mentions.ts';
import { NO_PERSON, phonesIn, replaceContacts } from '../../../src/features/privacy/person.ts';

const PERSON = {
  ...NO_PERSON,
  emails: ['ada@example.com'],
  names: ['Ada Lovelace'],
  phones: ['493055570199'],
  personIds: ['p_1', 'person_123'],
};

describe('mentions in text', () => {
  const { redact, isIn } = mentionsOf(PERSON);
  test.each([
    ['Write to ADA@Example.com.', 'Write to [erased].'],
    ['Ada Lovelace and Lovelace, Ada', '[erased] and [erased]'],
    ['Call +49 (30) 5557-0199 now', 'Call [erased] now'],
    ['See person_123.', 'See [erased].'],
    [
      'Ada alone, adapter, p_1 and xada@example.com stay',
      'Ada alone, adapter, p_1 and xada@example.com stay',
    ],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(isIn(text)).toBe(text !== expected);
  });
});

test('JSON stays valid, and a short id is found as a whole string', () => {
  const { redact } = mentionsOf(PERSON, { isJson: true });
  const json = JSON.stringify({ id: 'p_1', note: 'Ada\nLovelace "wrote"', other: 'p_12', n: 1 });
  expect(JSON.parse(redact(json))).toEqual({
    id: '[erased]',
    note: '[erased] "wrote"',
    other: 'p_12',
    n: 1,
  });
});

test('a name is found by its parts in texts about the person', () => {
  const { redact } = mentionsOf(PERSON, { nameParts: true });
  expect(redact('Thanks, Ada. Adam and Mrs. LOVELACE agree.')).toBe(
    'Thanks, [erased]. Adam and Mrs. [erased] agree.',
  );
});

test('contacts are found by pattern, and replaced by choice', () => {
  expect(phonesIn('Ring 0049 30 5557 0199, room 1234, on 2026-01-31')).toEqual(['493055570199']);
  const selected = { isEmail: (email: string) => email === 'ada@example.com', isPhone: () => true };
  expect(replaceContacts('Ada@Example.com, bob@example.com, +49 30 5557 0199', selected, '-')).toBe(
    '-, bob@example.com, -',
  );
});
