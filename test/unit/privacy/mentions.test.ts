import { describe, expect, test } from 'vitest';
import { mentionsOf, redactJson } from '../../../src/features/privacy/mentions.ts';
import { NO_PERSON } from '../../../src/features/privacy/person.ts';

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

test('JSON stays JSON if a number or the name of a member is erased, and words after line breaks are found', () => {
  const mentions = mentionsOf(PERSON, { isJson: true });
  const json = JSON.stringify({
    phone: 493055570199,
    'ada@example.com': 1,
    note: 'By\nada@example.com\nAda Lovelace\tperson_123',
    amount: 12.5,
  });
  expect(mentions.isIn('{"note":"By\\nada@example.com"}')).toBe(true);
  expect(JSON.parse(redactJson(json, mentions))).toEqual({
    phone: '[erased]',
    '[erased]': 1,
    note: 'By\n[erased]\n[erased]\t[erased]',
    amount: 12.5,
  });
});
