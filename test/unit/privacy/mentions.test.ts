import { describe, expect, test } from 'vitest';
import { mentionsOf, redactJson } from '../../../src/features/privacy/mentions.ts';
import { comparableName, replaceNames } from '../../../src/features/privacy/names.ts';
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

describe('the names of suppressed people', () => {
  const known = ['Ada Lovelace', 'Zoë Anna Müller-Lang'].map((name) => comparableName(name));
  const words = new Set(known.flatMap((name) => name?.words ?? []));
  const keys = new Set(known.map((name) => name?.key));
  const names = { hasWord: (word: string) => words.has(word), has: (key: string) => keys.has(key) };
  test.each([
    ['Ask Ada Lovelace, or LOVELACE, ADA.', 'Ask -, or -.'],
    ['(ada_lovelace)', '(-)'],
    ['Zoe Anna Muller Lang said', '- said'],
    ['Mu\u0308ller-Lang, Zoë Anna', '-'],
    ['Ada Ada Lovelace Lovelace', 'Ada - Lovelace'],
    ['Ada. Then a pause of some words. Lovelace', 'Ada. Then a pause of some words. Lovelace'],
    ['Ada Byron and Adam Lovelace stay, Zoë Müller too', 'Ada Byron and Adam Lovelace stay, Zoë Müller too'],
    ['', ''],
  ])('%s', (text, expected) => expect(replaceNames(text, names, '-')).toBe(expected));

  test('have two to five words', () => {
    expect(comparableName('Ada')).toBeNull();
    expect(comparableName('a b c d e f')).toBeNull();
    expect(comparableName("O'Neill  Shaun")?.key).toBe('oneill shaun');
  });

  test('are found in a long text at once', () => {
    const text = 'ada '.repeat(100_000);
    const begin = performance.now();
    expect(replaceNames(text, names, '-')).toBe(text);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});
