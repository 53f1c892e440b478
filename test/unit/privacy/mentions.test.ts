import { describe, expect, test } from 'vitest';
import {
  filtersByEmail,
  isInJson,
  type Mentions,
  mentionsOf,
  redactJson,
} from '../../../src/features/privacy/mentions.ts';
import {
  hasEmail,
  NO_PERSON,
  normalizeEmail,
  withIdentifiers,
} from '../../../src/features/privacy/person.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const ZOE = { ...NO_PERSON, emails: ['zoe@example.com'], names: ['Zoé Quist'] };

const PERSON = {
  ...NO_PERSON,
  emails: ['ada@example.com'],
  names: ['Ada Lovelace'],
  phones: ['493055570199'],
  personIds: ['p_1', 'person_123'],
};

/** Expects that mentions are replaced, and that the filter of the database finds a text with some. */
function expectRedacted({ redact, isIn, filter }: Mentions, text: string, expected: string): void {
  expect(redact(text)).toBe(expected);
  expect(isIn(text)).toBe(text !== expected);
  const found = filter('text') as { $or: { text: { $regex: string } }[] } | null;
  const isFound = found?.$or.some((or) => new RegExp(or.text.$regex, 'iu').test(text)) ?? false;
  if (text !== expected) expect(isFound).toBe(true);
}

describe('mentions in text', () => {
  const mentions = mentionsOf(PERSON);
  test.each([
    ['Write to ADA@Example.com.', 'Write to [erased].'],
    ['Ada Lovelace and Lovelace, Ada', '[erased] and [erased]'],
    ['Call +49 (30) 5557-0199 now', 'Call [erased] now'],
    ['See person_123.', 'See [erased].'],
    [
      'Ada alone, adapter, p_1 and xada@example.com stay',
      'Ada alone, adapter, p_1 and xada@example.com stay',
    ],
  ])('%s', (text, expected) => expectRedacted(mentions, text, expected));
});

describe('an email address in text', () => {
  const mentions = mentionsOf({ ...NO_PERSON, emails: ['zoe@example.com'] });
  test.each([
    ["'zoe@example.com'", "'[erased]'"],
    ['-zoe@example.com', '-[erased]'],
    ['_zoe@example.com_', '_[erased]_'],
    ['ask...zoe@example.com', 'ask...[erased]'],
    ['+zoe@example.com', '+[erased]'],
    ['zoe@example.com--', '[erased]--'],
    ['zoe@example.com.Thanks', '[erased].Thanks'],
    ['zoe@example.com.a.b.c.d', '[erased].a.b.c.d'],
    ['zoe@example.com...more.of.this.and.that', '[erased]...more.of.this.and.that'],
    ['?to=%20zoe%40example.com%20', '?to=%20[erased]%20'],
    ['z\u200boe@exam\u00adple.com\u200b!', '[erased]!'],
    ['ann.zoe@example.com', 'ann.zoe@example.com'],
    ['ann-zoe@example.com', 'ann-zoe@example.com'],
    ['zoe@example.company', 'zoe@example.company'],
    ['zoe@example.com-pany.org', 'zoe@example.com-pany.org'],
  ])('%s', (text, expected) => expectRedacted(mentions, text, expected));

  test.each([
    '@zoehandle',
    'mailto:zoe@example.com',
    'zoe@example.com,zoe@work.example',
    'zoe@my_host.com',
    'zoe@[10.0.0.1]',
    '"zoe q"@example.com',
    'zoe@home@example.com',
    `${'z'.repeat(80)}@example.com`,
    'zo\u00e9handl\u00e9',
  ])('is found as %j, which an identity can have', (email) => {
    for (const isJson of [false, true])
      expectRedacted(
        mentionsOf({ ...NO_PERSON, emails: [email] }, { isJson }),
        `to ${email}!`,
        'to [erased]!',
      );
  });

  test('is found in JSON with escapes', () => {
    const { redact: inJson } = mentionsOf({ ...NO_PERSON, emails: ['zoë@müller.de'] }, { isJson: true });
    expect(inJson('{"from":"Zo\\u00eb \\u003czo\\u00eb@m\\u00fcller.de\\u003e"}')).toBe(
      '{"from":"Zo\\u00eb \\u003c[erased]\\u003e"}',
    );
  });
});

describe('a name in text', () => {
  const names = ['Zoé Quist', "Anna O'Neill-Łabędź", 'Анна Жук', 'Anna Maria Quist'];
  const person = { ...NO_PERSON, names };
  const ofPerson = mentionsOf(person);
  test.each([
    ['Zoé Quist, Zoe\u0301 Quist, ZOE QUIST and zoè quist', '[erased], [erased], [erased] and [erased]'],
    ['Quist,\u00a0Zoe', '[erased]'],
    ['Z\u200boe%20Quist', '[erased]'],
    ['Anna ONeill Łabedz and O’Neill-Łabędź, Anna', '[erased] and [erased]'],
    ['Zoe Quistner, Zo Quist; Zoe', 'Zoe Quistner, Zo Quist; Zoe'],
    ['Maria Anna Quist, Quist Maria Anna', '[erased], [erased]'],
    ["l'avis d'Anna Maria Quist, qu’Anna Maria Quist", "l'avis d'[erased], qu’[erased]"],
    ["Zoe Quist'll, Zoé Quist'in, Zoe Quist's", "[erased]'ll, [erased]'in, [erased]'s"],
    ["b'Zoe Quist' and 'Zoe' 'Quist'", "b'[erased]' and [erased]"],
    ["b'Zoe Quist', 'Zoe' 'Quist'", "b'[erased]'"],
    [`Zoe${' '.repeat(40)}Quist, Zoe%0AQuist`, '[erased], [erased]'],
  ])('%s', (text, expected) => expectRedacted(ofPerson, text, expected));

  test.each([
    ['{"name":"Zo\\u00e9 Quist"}', '{"name":"[erased]"}'],
    ['{"name":"ZO\\u00C9\\u00a0QUIST"}', '{"name":"[erased]"}'],
    ['{"name":"Zoe\\u0301 Quist"}', '{"name":"[erased]"}'],
    ['{"name":"\\u0410\\u043d\\u043d\\u0430 \\u0416\\u0443\\u043a"}', '{"name":"[erased]"}'],
    ['{"body":"{\\"name\\":\\"Zo\\\\u00e9 Quist\\"}"}', '{"body":"{\\"name\\":\\"[erased]\\"}"}'],
  ])('%s', (json, expected) => {
    const mentions = mentionsOf(person, { isJson: true });
    expectRedacted(mentions, json, expected);
    expect(JSON.parse(redactJson(json, mentions))).toEqual(JSON.parse(expected));
  });
});

test('filters stay within the limits of the database, and what they find is compared in full', () => {
  const long = `Zo${'é'.repeat(250)} ${'ö'.repeat(250)}`;
  const short = Array.from({ length: 300 }, (_, index) => `${index}äöüéÿàñöüéÿàñ Quist-Łabędź`);
  for (const names of [[long], short])
    for (const isJson of [false, true]) {
      const emails = [`${'ü'.repeat(400)}@example.com`];
      const mentions = mentionsOf({ ...NO_PERSON, emails, names }, { isJson });
      const filter = mentions.filter('text') as { $or: { text: { $regex: string } }[] };
      const sources = filter.$or.map(({ text }) => text.$regex);
      expect(Math.max(...sources.map((source) => Buffer.byteLength(source)))).toBeLessThan(20_000);
      const fields = isJson ? 2 : 7;
      expect(Buffer.byteLength(JSON.stringify(filter)) * fields).toBeLessThan(15_000_000);
      for (const text of [...names.slice(0, 3), ...emails])
        expect(sources.some((source) => new RegExp(source, 'iu').test(text))).toBe(true);
    }
  const { redact } = mentionsOf({ ...NO_PERSON, names: [long] });
  expect(redact(`It is ${long}, not ${long}x.`)).toBe(`It is [erased], not ${long}x.`);
});

test('a blank address, short text as an address and ids without letters are not mentioned in texts', () => {
  const person = {
    ...NO_PERSON,
    emails: ['', 'a', '>'],
    visitorIds: ['', '   ', '      ', '------', 'erased', '[erased]'],
    names: ['. -', ' '],
  };
  for (const isJson of [false, true]) {
    const { isIn, redact } = mentionsOf(person, { isJson });
    const text = 'This is a text ------ of      others, > and {"visitorId":"","personId":"[erased]"}';
    expect(isIn(text)).toBe(false);
    expect(redact(text)).toBe(text);
  }
  expect(filtersByEmail('visitorId', ['', 'zoe@example.com'])).toHaveLength(1);
});

test.each(['zoe@example.com', 'Zoe <ZOE@example.com>', ' Zoe <zoe@example.com ', 'zoe@example.com>'])(
  'the address of %j',
  (email) => expect(normalizeEmail(email)).toBe('zoe@example.com'),
);

test.each(['<>', '>', 'Zoe <>', 'Zoe <', '   ', ''])('%j is no address, and links no people', (email) => {
  expect(normalizeEmail(email)).toBe('');
  const person = withIdentifiers(ZOE, { emails: [normalizeEmail(email)], personIds: [' '], names: [''] });
  expect(person).toEqual(ZOE);
  expect(hasEmail({ emails: [''] }, email)).toBe(false);
});

describe('a phone number in text', () => {
  const mentions = mentionsOf({ ...NO_PERSON, phones: ['491701234567'] });
  test.each([
    ['+49 170 1234567 (9-17)', '[erased] (9-17)'],
    ['+49 (0) 170 1234567, 0049 (170) 123-4567', '[erased], [erased]'],
    ['0170 1234567', '[erased]'],
    ['%2B49%20170%201234567', '%2B[erased]'],
    ['+49 170 12345678, 1170 1234567', '+49 170 12345678, 1170 1234567'],
  ])('%s', (text, expected) => expectRedacted(mentions, text, expected));

  test('is found in international form if it was written in national form', () => {
    const national = mentionsOf({ ...NO_PERSON, phones: ['01701234567'] });
    expect(national.redact('+49 (0)170 1234567 or 0170/1234567')).toBe('[erased] or [erased]');
  });
});

test('a short id is found in the members of JSON that hold ids only', () => {
  const mentions = mentionsOf({ ...PERSON, personIds: ['42', 'p_1'], visitorIds: ['ada'] }, { isJson: true });
  const json = JSON.stringify({
    resolvedPersonId: 'p_1',
    visitor_id: 'ada',
    customerId: 42,
    plan: '42',
    speaker: 'Ada',
    other: { personId: '421', resolved_person_id: '42' },
    note: 'Ada\nLovelace "wrote"',
  });
  const expected = {
    resolvedPersonId: '[erased]',
    visitor_id: '[erased]',
    customerId: 42,
    plan: '42',
    speaker: 'Ada',
    other: { personId: '421', resolved_person_id: '[erased]' },
    note: '[erased] "wrote"',
  };
  expect(JSON.parse(mentions.redact(json))).toEqual(expected);
  expect(JSON.parse(redactJson(json, mentions))).toEqual(expected);
  expect(mentions.isIn('{"visitorId": "ada"}')).toBe(true);
  expect(mentions.isIn('{"speaker":"ada"}')).toBe(false);
});

test.each([
  'a',
  '.',
  'a.',
  '@',
  'zoe',
  'zoe@',
  'zoe ',
  'z\u0301',
  'zoe\\',
  'zoe\\n',
  '4 9',
  '4(',
  '\u200b',
  '%40',
  '\\',
])('a long text of %j takes linear time', async (part) => {
  const { redact } = mentionsOf(
    {
      ...PERSON,
      emails: ['zoe@example.com'],
      names: ['Zoé Quist', 'Zoe Zoe'],
      phones: ['491701234567', '01701234567'],
    },
    { isJson: true },
  );
  const text = `zoe${part.repeat(262_144 / part.length)}`;
  expect(await cpuMsOf(() => redact(text))).toBeLessThan(5_000);
});

describe.each([false, true])('many identifiers that begin alike (isJson: %s)', (isJson) => {
  const beginning = 'a-'.repeat(30);
  const word = 'eo '.repeat(100).trim();
  const numbers = Array.from({ length: 600 }, (_, index) => index);
  const person = {
    ...NO_PERSON,
    visitorIds: numbers.map((number) => `${beginning}${number}`),
    personIds: [`${beginning}1-2`, `${beginning.toUpperCase()}X`],
    emails: numbers.map((number) => `${beginning}${number}@example.com`),
    names: [...numbers.slice(0, 40).map((number) => `${word} x${number}`), 'Ada Quist'],
    phones: numbers.map((number) => `4930${1_000_000 + number}`),
  };
  const mentions = mentionsOf(person, { isJson });

  test.each([
    [`${beginning}7 and ${beginning}77`, '[erased] and [erased]'],
    [`${beginning}1-2, ${beginning}1-3`, '[erased], [erased]-3'],
    [`${beginning}x and ${beginning}y`, `[erased] and ${beginning}y`],
    [`${beginning}700`, `${beginning}700`],
    [`${beginning}599@example.com`, '[erased]'],
    ['030 1000007, 030 1000700', '[erased], 030 1000700'],
    ["Quist's Ada, Ada Quist's", "Quist's Ada, [erased]'s"],
  ])('%s', (text, expected) => {
    expectRedacted(mentions, text, expected);
    expect(JSON.stringify(mentions.filter('text')).length).toBeLessThan(2_000_000);
  });

  // One after the other, the identifiers take minutes, and their patterns all memory.
  test.each([beginning, `${word} `, '0 30 1 ', `${beginning}599@example.co `])(
    'a long text of %j',
    async (part) => {
      const text = part.repeat(65_536 / part.length);
      expect(await cpuMsOf(() => mentions.redact(text))).toBeLessThan(5_000);
    },
  );
});

test('a name is found by its parts in texts about the person', () => {
  const { redact } = mentionsOf(PERSON, { nameParts: true });
  expect(redact('Thanks, Ada. Adam and Mrs. LOVELACE agree.')).toBe(
    'Thanks, [erased]. Adam and Mrs. [erased] agree.',
  );
});

test.each([
  ['a letter before an escape', 'Émile Quist', 'x\\u00c9mile Quist', null],
  ['a line break before a part of the name', 'Nora Quist', 'Hello\nora Quist', null],
  ['an escape in text', 'Émile Quist', '-\\u00c9mile Quist', '-[erased]'],
  ['a backslash before the name', 'Nora Quist', '\\Nora Quist\\', '\\[erased]\\'],
  ['backslashes before an escape', 'Émile Quist', '\\\\\\u00c9mile Quist', '[erased]'],
])('JSON with %s stays JSON', (_, name, note, expected) => {
  const mentions = mentionsOf(
    { ...NO_PERSON, names: [name], visitorIds: ['\\visitor"\\'] },
    { isJson: true },
  );
  const json = JSON.stringify({ note, same: note });
  expect(JSON.parse(redactJson(json, mentions))).toEqual({ note: expected ?? note, same: expected ?? note });
  expect(isInJson(json, mentions)).toBe(expected !== null);
  expect(isInJson(redactJson(json, mentions), mentions)).toBe(false);
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
