import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { emailRanges, emailWords } from '../../../src/features/privacy/email-addresses.ts';
import { comparableName } from '../../../src/features/privacy/names.ts';
import { NO_PERSON, normalizeEmail, type Person } from '../../../src/features/privacy/person.ts';
import { phonesIn } from '../../../src/features/privacy/phone-numbers.ts';
import type { PrivacyKey } from '../../../src/features/privacy/privacy-keys.store.ts';
import { createKnownWords, wordHash } from '../../../src/features/privacy/suppression.store.ts';
import { SUPPRESSION_TYPES } from '../../../src/features/privacy/suppression-types.ts';
import { createSuppressor, suppressible } from '../../../src/features/privacy/suppressor.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const key = {
  hash: (identifier: string, purpose: string) =>
    createHmac('sha256', 'key').update(`${purpose}:${identifier}`).digest('base64url'),
} as PrivacyKey;

const ALL_TYPES = new Set(SUPPRESSION_TYPES);
/** Shared by all suppressors, as by those of a process. */
const knownWords = createKnownWords();

/** Returns the suppressor of a tenant with one suppressed person. */
function suppressing(
  person: Partial<Person>,
  { withKey = key, withWords = true }: { withKey?: PrivacyKey; withWords?: boolean } = {},
) {
  const stored = suppressible({ ...NO_PERSON, ...person }).map(({ type, identifier, words }) => ({
    type,
    hash: key.hash(identifier, type),
    ...(words && (withWords || type === 'name') && { words: words.map((word) => wordHash(key, type, word)) }),
  }));
  const suppressor = createSuppressor({
    key: withKey,
    types: new Set(stored.map(({ type }) => type)),
    hashes: new Set(stored.map(({ hash }) => hash)),
    hasWord: knownWords(withKey, stored),
  });
  if (!suppressor) throw new Error('The person has no identifier.');
  return suppressor;
}

const S = '[suppressed]';

describe('a suppressed email address in text', () => {
  const { redact } = suppressing({ emails: ['zoe@example.com'] });
  test.each([
    ['Write to ZOE@Example.com.', `Write to ${S}.`],
    ["'zoe@example.com'", `'${S}'`],
    ['-zoe@example.com', `-${S}`],
    ['_zoe@example.com_', `_${S}_`],
    ['ask...zoe@example.com', `ask...${S}`],
    ['+zoe@example.com', `+${S}`],
    ['zoe@example.com--', `${S}--`],
    ['zoe@example.com-', `${S}-`],
    ['zoe@example.com--the boss', `${S}--the boss`],
    ['See zoe@example.com.Thanks', `See ${S}.Thanks`],
    ['{a=zoe@example.com}', `{a=${S}}`],
    ['https://x.example/?to=%20zoe%40example.com%20', `https://x.example/?to=%20${S}%20`],
    ['z\u200boe@exam\u00adple.com\u200b!', `${S}!`],
    ['<zoe@example.com>,zoe@example.com', `<${S}>,${S}`],
    ['ann.zoe@example.com', 'ann.zoe@example.com'],
    ['ann-zoe@example.com', 'ann-zoe@example.com'],
    ['xzoe@example.com', 'xzoe@example.com'],
    ['zoe@example.company', 'zoe@example.company'],
    ['zoe@example.com-pany.org', 'zoe@example.com-pany.org'],
    ['@ zoe@ @example.com', '@ zoe@ @example.com'],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));

  test('may have characters that are not ASCII', () => {
    const german = suppressing({ emails: ['zoe@müller.de'] });
    expect(german.redact('an Zoe@Müller.de, bitte')).toBe(`an ${S}, bitte`);
  });
});

test('an id is suppressed in any case and between spaces, also as an earlier version stored it', () => {
  const { isSuppressed } = suppressing({
    visitorIds: ['V-1'],
    personIds: ['p-1'],
    emails: ['zoe@example.com'],
  });
  for (const visitorId of ['V-1', 'v-1', ' V-1 ', 'zoe@example.com', 'Zoe <ZOE@example.com>'])
    expect(isSuppressed({ visitorId })).toBe(true);
  for (const resolvedPersonId of ['P-1', ' p-1', 'ZOE@example.com'])
    expect(isSuppressed({ resolvedPersonId })).toBe(true);
  expect(isSuppressed({ email: 'Zoe <zoe@example.com>' })).toBe(true);
  expect(isSuppressed({ visitorId: 'p-1', resolvedPersonId: 'v-1', email: 'ann@example.com' })).toBe(false);
  const earlier = createSuppressor({
    key,
    types: ALL_TYPES,
    hashes: new Set([key.hash('V-2', 'visitor_id')]),
    hasWord: () => true,
  });
  expect(earlier?.isSuppressed({ visitorId: 'V-2' })).toBe(true);
});

describe('a suppressed phone number in text', () => {
  const { redact } = suppressing({ phones: ['491701234567'] });
  test.each([
    ['Call +49 (170) 123-4567 now', `Call ${S} now`],
    ['0049 170 1234567', S],
    ['+49 170 1234567 (9-17)', `${S} (9-17)`],
    ['+49 170 1234567 2026-01-31', `${S} 2026-01-31`],
    ['room 12 +49 170 1234567', `room 12 ${S}`],
    ['+49 (0) 170 1234567', S],
    ['0170 1234567, 0170/1234567', `${S}, ${S}`],
    ['(+49)\u00a0170\u00a01234567', S],
    ['+49 170 12345678 and 1234567', '+49 170 12345678 and 1234567'],
    ['x491701234567', 'x491701234567'],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));

  test('is found in international form if it was written in national form', () => {
    expect(suppressing({ phones: ['01701234567'] }).redact('+49 170 1234567')).toBe(S);
  });
});

test('a number that an earlier version suppressed with its (0) is found', () => {
  const { redact } = createSuppressor({
    key,
    types: ALL_TYPES,
    hashes: new Set([key.hash('4901701234567', 'phone')]),
    hasWord: () => true,
  }) ?? { redact: String };
  expect(redact('+49 (0)170 1234567, 0049 (0) 170/1234567')).toBe(`${S}, ${S}`);
  expect(redact('+49 170 1234567')).toBe('+49 170 1234567');
});

test('nothing blank is suppressed, also if an earlier version stored it', () => {
  const hashes = new Set(['email', 'visitor_id', 'resolved_person_id'].map((type) => key.hash('', type)));
  const suppressor = createSuppressor({ key, types: ALL_TYPES, hashes, hasWord: () => true });
  for (const email of ['', '  ', '<>', 'Zoe <>']) expect(suppressor?.isSuppressed({ email })).toBe(false);
  expect(suppressor?.isSuppressed({ visitorId: ' ', resolvedPersonId: ' ' })).toBe(false);
});

test.each([
  ['Ring 0049 30 5557 0199, room 1234, on 2026-01-31', ['493055570199']],
  ['+49 170 1234567 (9-17)', ['491701234567']],
  ['+49 170 1234567 9-17', ['491701234567']],
  ['+49 170 1234567 2026-01-31', ['491701234567']],
  ['+49 170 1234567 31.01.2026 10:00', ['491701234567']],
  ['+49 (0) 170 1234567', ['491701234567']],
  ['0170 1234567', ['01701234567']],
  ['01.70.12.34.56 or (212) 555-0123', ['0170123456', '2125550123']],
  ['2026-01-31 10:00, card 4111 1111 1111 1111, ref A4917012345678', []],
])('the phone numbers of %j', (text, expected) => expect(phonesIn(text)).toEqual(expected));

describe('a suppressed name in text', () => {
  const { redact } = suppressing({ names: ['Ada Lovelace', 'Zoë Anna Müller-Lang'] });
  test.each([
    ['Ask Ada Lovelace, or LOVELACE, ADA.', `Ask ${S}, or ${S}.`],
    ['(ada_lovelace)', `(${S})`],
    ['Zoe Anna Muller Lang said', `${S} said`],
    ['Mu\u0308ller-Lang, Zoë Anna', S],
    ['Ada%20Lovelace and A\u200bda Love\u00adlace', `${S} and ${S}`],
    ['Ada Ada Lovelace Lovelace', `Ada ${S} Lovelace`],
    ['Ada. Then a pause of some words. Lovelace', 'Ada. Then a pause of some words. Lovelace'],
    ['Ada Byron and Adam Lovelace stay, Zoë Müller too', 'Ada Byron and Adam Lovelace stay, Zoë Müller too'],
    ['', ''],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));

  test('has two to ten words of at most 300 characters', () => {
    expect(comparableName('Ada')).toBeNull();
    expect(comparableName('a b c d e f g h i j k')).toBeNull();
    expect(comparableName(`Ada ${'a'.repeat(301)}`)).toBeNull();
    expect(comparableName("O'Neill  Shaun")?.key).toBe('oneill shaun');
  });
});

test.each([
  ['letters', 'a'],
  ['dots', '.'],
  ['letters and dots', 'a.'],
  ['hyphens and letters', '-a'],
  ['signs of addresses', '@'],
  ['short addresses', '-a@b.c '],
  ['addresses with many parts', '*a*a*a*a@b.c.d.e.f '],
  ['a letter with marks', '\u0301'],
  ['different marks', '\u0301\u0327'],
  ['digits', '7'],
  ['groups of digits', '12 '],
  ['parentheses', '1 (('],
  ['spaces', ' '],
  ['words of a name', 'ada '],
  ['invisible characters', 'a\u200b'],
  ['percent escapes', '%40a'],
])('a long text of %s takes linear time', async (_, part) => {
  const { redact } = suppressing({
    emails: ['zoe@example.com'],
    phones: ['491701234567'],
    names: ['Ada Lovelace'],
  });
  const text = `e${part.repeat(262_144 / part.length)}`;
  // A quadratic search takes minutes.
  expect(await cpuMsOf(() => redact(text))).toBeLessThan(5_000);
  expect(phonesIn(text)).toEqual([]);
});

/** Returns a function that draws from a list, the same sequence in each run. */
function drawing(seed: number): <T>(from: readonly T[]) => T {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)] as (typeof from)[number];
  };
}

describe('the words of an identifier leave out no text that has it', () => {
  const PIECES = [
    ...[
      '@',
      '@',
      '@',
      'a',
      'B',
      'é',
      'e\u0301',
      'Σ',
      'σ',
      'ς',
      'İ',
      'ß',
      'Å',
      '1',
      '½',
      'ﬁ',
      '가',
      '\ufacf',
      '𐐀',
    ],
    ...[
      '.',
      '..',
      '-',
      '--',
      '_',
      '+',
      "'",
      '=',
      '=\u0338',
      '<',
      '>',
      ' ',
      '/',
      '*',
      '\u200b',
      '%40',
      '\u0338',
    ],
    ...['x'.repeat(70), 'y'.repeat(300), '\u0301\u0327'],
  ];
  test('email addresses in random texts', () => {
    const draw = drawing(1);
    let found = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const text = Array.from({ length: draw([3, 6, 12, 24]) }, () => draw(PIECES)).join('');
      const candidates: string[] = [];
      const add = (email: string): false => {
        candidates.push(email);
        return false;
      };
      for (const _ of emailRanges(text, add));
      if (candidates.length === 0) continue;
      const email = normalizeEmail(draw(candidates));
      const isSelected = (candidate: string) => normalizeEmail(candidate) === email;
      const [words] = emailWords(email);
      const ranges = [...emailRanges(text, isSelected, (others) => others === words)];
      expect(ranges, JSON.stringify([text, email])).toEqual([...emailRanges(text, isSelected)]);
      found += ranges.length;
    }
    expect(found).toBeGreaterThan(300);
  });

  test('all types in random texts', () => {
    const draw = drawing(2);
    const person = {
      emails: ['zoe@example.com', 'a.b@c.d'],
      phones: ['491701234567', '0301234567'],
      names: ['Ada Lovelace'],
    };
    const pieces = [
      ...[
        'zoe',
        'Zoe@example.com',
        'a',
        '.',
        'b',
        '@',
        'c',
        'd',
        '--',
        "'",
        ' ',
        ' ',
        ',',
        'Ada',
        'lovelace',
      ],
      ...['+', '49', '0049', '(0)', '0', '170', '1234567', '30', '7', '-', '/'],
    ];
    const [now, before] = [suppressing(person), suppressing(person, { withWords: false })];
    let found = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const text = Array.from({ length: draw([4, 8, 16]) }, () => draw(pieces)).join('');
      const redacted = now.redact(text);
      expect(redacted).toBe(before.redact(text));
      if (redacted !== text) found += 1;
    }
    expect(found).toBeGreaterThan(200);
  });
});

test.each([
  ['each @', (n: number) => `*a*a*a*a${n}@b${n}.c.d.e.f `, 1],
  ['each group of digits', (n: number) => `0${n % 9}.${n % 7}${n % 8} `, 2],
])('a text that no suppressed person is in takes at most one keyed hash for %s', (_, part, each) => {
  let hashes = 0;
  const withKey = {
    hash(identifier: string, purpose: string) {
      hashes += 1;
      return key.hash(identifier, purpose);
    },
  } as PrivacyKey;
  const { redact } = suppressing({ emails: ['zoe@example.com'], phones: ['491701234567'] }, { withKey });
  const parts = 5_000;
  const text = Array.from({ length: parts }, (__, number) => part(number)).join('');
  expect(redact(text)).toBe(text);
  // Few others have the same first 24 bits.
  expect(hashes).toBeLessThan(1.01 * parts * each);
});
