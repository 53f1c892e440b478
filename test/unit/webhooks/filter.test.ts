import { describe, expect, test } from 'vitest';
import type { EventName } from '../../../src/features/outbox/event-catalog.ts';
import type { EventTypeName } from '../../../src/features/outbox/event-type.ts';
import type { EndpointDoc } from '../../../src/features/webhooks/endpoints/endpoint.model.ts';
import { filterIssues } from '../../../src/features/webhooks/endpoints/filter.ts';
import { failedClause } from '../../../src/features/webhooks/endpoints/filter-evaluation.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const CONVERSION: EventName[] = ['conversion.recorded'];

const envelope = {
  event: 'conversion.recorded',
  data: { customerId: 42, conversationId: null, conversionType: 'Demo_booked', value: 250 },
  ts: 1_769_852_400,
};
const drift = {
  event: 'drift.detected',
  data: {
    features: [
      { feature: 'visits', score: 0.41, exampleIds: ['a', 'b'] },
      { feature: 'age', score: 0.1, exampleIds: [] },
    ],
  },
};

/** The clause that an envelope fails, by an endpoint with this filter. */
const failed = (filter: object, of: Record<string, unknown> = envelope) =>
  failedClause({ filter: JSON.stringify(filter) } as EndpointDoc, of);

const messages = (filter: Record<string, unknown>, events: EventTypeName[] | null = CONVERSION) =>
  filterIssues(filter, events).map(({ path, message }) => `${path}: ${message}`);

describe('evaluating a filter', () => {
  test.each([
    [{ event: 'conversion.recorded' }],
    [{ 'data.value': { $gte: 100, $lt: 251 } }],
    [{ 'data.value': { $gt: 249 }, ts: { $lte: 1_769_852_400 } }],
    [{ 'data.value': { $in: [1, 250] } }],
    [{ 'data.value': { $nin: [1, 2] } }],
    [{ 'data.value': { $not: { $lt: 100 } } }],
    [{ 'data.conversationId': null }],
    [{ 'data.status': { $ne: 'ended' } }],
    [{ 'data.status': { $exists: false } }],
    [{ 'data.conversationId': { $exists: true } }],
    [{ $or: [{ 'data.value': 1 }, { $and: [{ event: 'conversion.recorded' }, { 'data.value': 250 }] }] }],
    [{ 'data.conversionType': { $regex: '(?i)^demo_' } }],
    [{ 'data.conversionType': { $not: { $regex: '^trial' } } }],
    [{ $or: [{ 'data.conversionType': { $regex: 'booked$' } }] }],
  ])('%j includes the event', (filter) => {
    expect(failed(filter)).toBeNull();
  });

  test.each([
    [{ 'data.features.feature': 'visits' }],
    [{ 'data.features.score': { $gt: 0.4 } }],
    [{ 'data.features.exampleIds': 'b' }],
    [{ 'data.features.feature': { $regex: '^a' } }],
  ])('%j holds for an item of a list', (filter) => {
    expect(failed(filter, drift)).toBeNull();
  });

  test.each([
    [{ 'data.value': 250, event: 'conversation.started' }, 'event $eq "conversation.started"'],
    [{ 'data.value': { $gte: 100, $lte: 200 } }, 'data.value $lte 200'],
    [{ 'data.value': '250' }, 'data.value $eq "250"'],
    [{ 'data.value': { $gt: '1' } }, 'data.value $gt "1"'],
    [{ 'data.status': 'ended' }, 'data.status $eq "ended"'],
    [{ 'data.conversionType': { $regex: '^demo_' } }, 'data.conversionType $regex "^demo_"'],
    [{ $and: [{ 'data.value': { $in: [1] } }, { event: 'x' }] }, 'data.value $in [1]'],
    [
      { $or: [{ 'data.value': 1 }, { event: { $regex: 'x' } }] },
      '$or [{"data.value":1},{"event":{"$regex":"x"}}]',
    ],
    [{ 'data.value': { $not: { $gte: 100 } } }, 'data.value $not {"$gte":100}'],
  ])('%j leaves it out and names the clause', (filter, clause) => {
    expect(failed(filter)).toBe(clause);
  });

  test('a long clause is cut', () => {
    const clause = failed({ event: { $in: Array.from({ length: 100 }, (_, index) => `type-${index}`) } });
    expect(clause).toHaveLength(200);
    expect(clause).toMatch(/^event \$in \["type-0",.*…$/);
  });

  test('a path leads through lists to the items that have it, and not through a list in a list', () => {
    const of = { data: { list: [{ n: 1 }, { m: [2, 3] }, [{ n: 4 }]], empty: [], objects: [{}] } };
    expect(failed({ 'data.list.n': 1, 'data.list.m': { $gt: 2 }, 'data.objects.n': null }, of)).toBeNull();
    expect(failed({ 'data.list.n': 4 }, of)).toBe('data.list.n $eq 4');
    expect(failed({ 'data.empty': { $exists: true }, 'data.objects.n': { $exists: false } }, of)).toBeNull();
    expect(failed({ 'data.empty.n': { $exists: true } }, of)).toBe('data.empty.n $exists true');
  });

  test('a pattern that backtracks without end elsewhere takes linear time', async () => {
    const data = { conversionType: `${'a'.repeat(499)}!` };
    const filter = { 'data.conversionType': { $regex: '^(a+)+$' } };
    expect(await cpuMsOf(() => expect(failed(filter, { data })).not.toBeNull())).toBeLessThan(1_000);
  });
});

const CUSTOM: EventTypeName[] = ['custom.page'];
const PATH = 'data.properties.a';
/** Cycles through characters, in an order that does not repeat soon. */
const textOf = (characters: string, length: number) =>
  Array.from({ length }, (_, index) =>
    [...characters].at(((index * index) % 31) % [...characters].length),
  ).join('');
const custom = (a: unknown) => ({ event: 'custom.page', data: { properties: { a } } });
const anyOf = (...patterns: string[]) => ({ $or: patterns.map(($regex) => ({ [PATH]: { $regex } })) });
const fiftyOf = (condition: object) => ({ $and: Array.from({ length: 50 }, () => condition) });
const fiveOf = (pattern: string) => anyOf(...Array.from({ length: 5 }, () => pattern));

describe('the bounds of the evaluation', () => {
  test('a pattern looks at the beginning of a text, and the smaller the patterns are, at the more', () => {
    const large = { [PATH]: { $regex: '(?:[a-z]{190})?END$' } };
    expect(messages(large, CUSTOM)).toEqual([]);
    const textWithEnd = (before: number) => custom(`${'-'.repeat(before)}END`);
    expect(failed(large, textWithEnd(490))).toBeNull();
    expect(failed(large, textWithEnd(600))).toMatch(/^data\.properties\.a \$regex/);
    expect(failed({ [PATH]: { $regex: 'END$' } }, textWithEnd(10_000))).toBeNull();
    expect(failed({ [PATH]: { $regex: '^-{150}$' } }, custom('-'.repeat(150)))).toBeNull();
  });

  test('the texts of a list count together', () => {
    const large = { [PATH]: { $regex: '(?:[a-z]{190})?END' } };
    const listWithEnd = (texts: number) =>
      custom([...Array.from({ length: texts }, () => '-'.repeat(49)), 'END']);
    expect(failed(large, listWithEnd(8))).toBeNull();
    expect(failed(large, listWithEnd(12))).not.toBeNull();
  });

  test('a condition looks at the first items of a list', () => {
    const listWithSeven = (before: number) => custom([...Array.from({ length: before }, () => 1), 7]);
    for (const condition of [7, { $in: [7] }, { $gt: 6 }, { $not: { $ne: 7 } }]) {
      expect(failed({ [PATH]: condition }, listWithSeven(499))).toBeNull();
      expect(failed({ [PATH]: condition }, listWithSeven(500))).not.toBeNull();
    }
  });

  test('a stored pattern beyond the bounds looks at fewer characters', () => {
    const stored = { [PATH]: { $regex: '(?:[a-z]{900})?END' } };
    expect(messages(stored, CUSTOM)).toEqual([expect.stringContaining('at most 200 instructions')]);
    expect(failed(stored, custom(`${'-'.repeat(90)}END`))).toBeNull();
    expect(failed(stored, custom(`${'-'.repeat(200)}END`))).not.toBeNull();
  });

  /** Generous: the worst takes about 1 s, most of it to compile the patterns 50 times. */
  const MAX_MS = 5_000;
  test.each<[string, Record<string, unknown>, unknown]>([
    ['a counted class', anyOf('[ab]*a[ab]{185}[cd][cd]'), textOf('ab', 16_000)],
    ['five counted classes', fiveOf('[ab]*a[ab]{30}[cd]'), textOf('ab', 16_000)],
    ['nested repetitions', anyOf('(?:[a-h]{1,30}[b-e]){3}[0-9]'), textOf('abcdefgh', 16_000)],
    ['optional characters', anyOf('(?:a?b?){47}[cd]'), textOf('ab', 16_000)],
    ['word boundaries', anyOf('(?:\\b|\\B|[ab]){37}[cd]'), textOf('ab', 16_000)],
    ['a lazy repetition', anyOf('[ab]*?a[ab]{1,94}?[cd]'), textOf('ab', 16_000)],
    ['anchors', anyOf('^[ab]*a[ab]{180}[cd]$'), textOf('ab', 16_000)],
    ['anchored classes', anyOf('^(?:\\pL\\pN?){60}$'), textOf('āгé', 16_000)],
    ['optional classes', anyOf('(?:\\pL?\\pN?){45}[0-9]'), textOf('āгé', 16_000)],
    ['ignored case', anyOf('(?i)(?:[kſs]?){90}[0-9]'), textOf('kKsſ', 16_000)],
    ['wide ranges', fiveOf('(?i)[\\x{100}-\\x{1ffff}]{20}[0-9]'), textOf('āгé', 16_000)],
    ['empty texts', fiveOf('^[a]'), Array.from({ length: 5_300 }, () => '')],
    ['a long list', fiftyOf({ [PATH]: { $not: { $gt: 100 } } }), Array.from({ length: 8_000 }, () => 7)],
    [
      'a list of objects',
      fiftyOf({ 'data.properties.a.b': { $ne: 1 } }),
      Array.from({ length: 5_300 }, () => ({})),
    ],
  ])('50 filters with %s take a bounded time', async (_what, filter, value) => {
    expect(messages(filter, CUSTOM)).toEqual([]);
    const of = custom(value);
    const cpuMs = await cpuMsOf(() => {
      for (let endpoint = 0; endpoint < 50; endpoint += 1) failed(filter, of);
    });
    expect(cpuMs).toBeLessThan(MAX_MS);
  });

  /** The largest pattern that is compiled takes 0.2 s; five that were not bounded took 0.8 to 5 s. */
  const MAX_CHECK_MS = 700;
  const repeated = (item: string, times = 1000) =>
    `(?:${item.repeat(Math.floor(470 / item.length))}){${times}}`;
  test.each([
    ['empty groups', repeated('()')],
    ['characters', repeated('ab')],
    ['optional characters up to a number', `(?:${'a?'.repeat(240)}){0,1000}`],
    ['at least a number', `(?:${'a?'.repeat(240)}){1000,}`],
    ['alternatives', repeated('|^|')],
    ['alternatives that are the largest ones to be compiled', repeated('|^|', 200)],
    ['empty groups that are the largest ones to be compiled', repeated('()', 200)],
    ['nested repetitions', `(?:(?:${'()'.repeat(230)}){31}){32}`],
    ['repetitions of a repetition', `(?:${'()'.repeat(230)}){31}(?i){32}`],
    ['a repetition after an empty quotation', `(?:${'()'.repeat(230)})\\Q\\E{1000}`],
    ['ignored case', `(?i)${repeated('k?')}`],
    ['named groups', `(?P<a>${'()'.repeat(230)}){1000}`],
    ['a group after braces in a class', `[]{5}]${repeated('()')}`],
    ['a group after an escaped bracket', `\\[${repeated('()')}`],
    ['a group after a quotation', `\\Q(\\E${repeated('()')}`],
    ['a group after literal braces', `x{,5}{05}${repeated('()')}`],
    ['a literal brace in a group', `(?:{${'()'.repeat(230)}){1000}`],
  ])('checking five repetitions of %s takes a bounded time', async (_what, pattern) => {
    expect(pattern.length).toBeLessThanOrEqual(500);
    const filter = fiveOf(pattern);
    let found: string[] = [];
    expect(
      await cpuMsOf(() => {
        found = messages(filter, CUSTOM);
      }),
    ).toBeLessThan(MAX_CHECK_MS);
    expect(found).toEqual([
      expect.stringMatching(
        /^filter\.\$or\.0\..* at most 200 instructions together, .*; (?:this one alone has more|with this one they have \d+)\./,
      ),
    ]);
  });

  /** 180 characters: a pattern would be refused if the literal braces after them repeated them. */
  const LONG = 'ab'.repeat(90);
  test.each([
    `[${LONG}{1000}]{150}`,
    `[]${LONG}{1000}]{150}`,
    `[^\\]${LONG}{1000}]{150}`,
    `[[:alpha:]${LONG}{1000}]{150}`,
    `${LONG}\\{1000}`,
    `\\Q${'(ab'.repeat(50)}{1000}\\E`,
    `(?:${LONG}){,1000}`,
    `(?:${LONG}){01000}`,
    `(?i)(?:${'a|'.repeat(240)}b){190}`,
    `(?:${'ab|'.repeat(160)}ab){99}`,
    '(?:){1000}',
    'x{0}[ab]{190}',
    '\\p{L}{190}',
    '\\x{430}{190}',
    '[0-9a-f]{24}',
  ])('accepts the pattern %j, which has at most 200 instructions', (pattern) => {
    expect(messages({ [PATH]: { $regex: pattern } }, CUSTOM)).toEqual([]);
  });

  test.each(['\\p{L}{1000}', '[ab]{1000}', '(?:[{5}]{2}){100}'])(
    'says how many instructions the pattern %j has',
    (pattern) => {
      expect(messages({ [PATH]: { $regex: pattern } }, CUSTOM)).toEqual([
        expect.stringMatching(/; with this one they have (?:1002|202)\./),
      ]);
    },
  );

  test('checking a filter with too many patterns takes a bounded time', async () => {
    const filter = { $and: Array.from({ length: 8 }, () => anyOf(`(?i)[${'Ā-𞠀'.repeat(60)}]`)) };
    const cpuMs = await cpuMsOf(() =>
      expect(messages(filter, CUSTOM)).toContain('filter: Must have at most 5 patterns.'),
    );
    expect(cpuMs).toBeLessThan(1_000);
  });
});

describe('checking a filter', () => {
  test('accepts every path of the subscribed event types, and null for any', () => {
    expect(messages({ event: null, ts: 1, 'data.value': 5, 'data.orgId': { $regex: '^org_' } })).toEqual([]);
    expect(messages({ 'data.converted': true, 'data.value': 1 }, null)).toEqual([]);
    expect(messages({ 'data.features.bin.lower': { $gte: 3 } }, ['drift.detected'])).toEqual([]);
    expect(messages({ data: { $exists: true } })).toEqual([]);
    expect(messages({ 'data.orgId': '😀'.repeat(500) })).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [
      { 'data.valeu': 1 },
      'filter.data.valeu: No subscribed event type has the field data.valeu; the nearest is data.value.',
    ],
    [{ value: 1 }, 'filter.value: No subscribed event type has the field value; the nearest is data.value.'],
    [
      { 'data.status': 'ended' },
      'filter.data.status: No subscribed event type has the field data.status; the nearest is data.value.',
    ],
    [
      { 'data.score': 1 },
      'filter.data.score: No subscribed event type has the field data.score; the nearest is data.value.',
    ],
    [{ 'data.value': '100' }, 'filter.data.value: data.value is a number, not a string.'],
    [{ 'data.value': { $in: [1, 'two'] } }, 'filter.data.value.$in.1: data.value is a number, not a string.'],
    [
      { 'data.conversionType': { $gte: 5 } },
      'filter.data.conversionType.$gte: data.conversionType is a string, not a number.',
    ],
    [{ 'data.value': { $regex: '1' } }, 'filter.data.value.$regex: data.value is a number, not a string.'],
    [{ event: 'conversion.recoded' }, 'filter.event: Must be one of conversion.recorded.'],
    [
      { data: { value: 1 } },
      'filter.data.value: Objects are not compared; use the path of a field, such as data.value.',
    ],
    [{ data: 5 }, 'filter.data: data is an object or a list; use the path of one of its fields, or $exists.'],
    [{ 'data.value': [1] }, 'filter.data.value: Lists are not compared; use $in with the values.'],
    [{ 'data.value': { $gt: null } }, 'filter.data.value.$gt: Must be a number or a string.'],
    [{ 'data.value': { $exists: 1 } }, 'filter.data.value.$exists: Must be true or false.'],
    [{ 'data.value': { $in: [] } }, 'filter.data.value.$in: Must be a list of 1 to 100 values.'],
    [
      { 'data.value': { $in: Array.from({ length: 101 }, () => 1) } },
      'filter.data.value.$in: Must be a list of 1 to 100 values.',
    ],
    [{ $or: [] }, 'filter.$or: Must be a list of 1 to 50 objects of conditions.'],
    [
      { $and: ['x'] },
      'filter.$and.0: Must be an object of conditions, such as {"data.value": {"$gte": 100}}.',
    ],
    [{}, 'filter: Must have a condition; the filter null selects all events.'],
    [
      { 'data.value': { $mod: [2, 0] } },
      'filter.data.value.$mod: $mod is not supported; supported: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $not, $regex.',
    ],
    [
      { $where: 'sleep(1000)' },
      'filter.$where: $where is not supported; supported here: $and, $or and the path of a field.',
    ],
    [{ $gte: 5 }, 'filter.$gte: $gte belongs below a field, such as {"data.value": {"$gte": …}}.'],
    [
      { 'data.value': { $or: [1] } },
      'filter.data.value.$or: $or belongs beside fields, such as {"$or": [{"data.value": 1}]}.',
    ],
    [
      { event: { $regex: 'x', $options: 'i' } },
      'filter.event.$options: Options are part of the pattern: it begins with (?i) to ignore case.',
    ],
    [{ 'data.value': Number.POSITIVE_INFINITY }, 'filter.data.value: Must be a finite number.'],
    [{ 'data.orgId': '\ud800' }, 'filter.data.orgId: Must be well-formed Unicode.'],
    [{ 'data.orgId': '😀'.repeat(501) }, 'filter.data.orgId: Must be at most 500 characters long.'],
    [{ 'data.orgId': 'x'.repeat(501) }, 'filter.data.orgId: Must be at most 500 characters long.'],
    [
      { $or: Array.from({ length: 50 }, () => ({ 'data.value': 1, ts: 5 })) },
      'filter: Must have at most 50 conditions.',
    ],
    [
      { $and: Array.from({ length: 6 }, () => ({ event: { $regex: 'x' } })) },
      'filter: Must have at most 5 patterns.',
    ],
    [
      { $or: [{ $or: [{ $or: [{ $or: [{ $or: [{ ts: 1 }] }] }] }] }] },
      'filter.$or.0.$or.0.$or.0.$or.0.$or.0: Must be nested at most 5 levels deep.',
    ],
    [
      { 'data.orgId': { $in: Array.from({ length: 40 }, () => 'x'.repeat(100)) } },
      'filter: Must be at most 4,096 bytes of JSON.',
    ],
    [
      { event: { $regex: '[ab]{300}' } },
      'filter.event.$regex: The patterns of a filter must have at most 200 instructions together, about one for each character or class, counted as often as it is repeated; with this one they have 302. Use shorter repetitions, or conditions on several fields.',
    ],
    [
      { $or: [{ event: { $regex: '[ab]{120}' } }, { event: { $not: { $regex: '[ab]{120}' } } }] },
      'filter.$or.1.event.$not.$regex: The patterns of a filter must have at most 200 instructions together, about one for each character or class, counted as often as it is repeated; with this one they have 244. Use shorter repetitions, or conditions on several fields.',
    ],
    [
      {
        $or: [
          { event: { $regex: '\\p{L}\\PL[а-я]' } },
          { event: { $regex: '(?i)[\\x{100}-\\x{1ffff}а-я日-語]' } },
        ],
      },
      'filter.$or.1.event.$regex: The patterns of a filter must have at most 5 Unicode classes and ranges together, such as \\p{L} and а-я; with this one they have 6.',
    ],
  ])('refuses %j', (filter, message) => {
    expect(messages(filter)).toEqual([message]);
  });

  test.each(['(', '(?=x)', '(a)\\1', 'a{1001}'])(
    'refuses the pattern %j, and says what would work',
    (pattern) => {
      expect(messages({ event: { $regex: pattern } })).toEqual([
        expect.stringMatching(
          /^filter\.event\.\$regex: Must be a regular expression in the syntax of RE2, without lookaround and back-references: error parsing regexp: .+\.$/,
        ),
      ]);
    },
  );

  test('names every problem, and allows a type that another subscribed event type has', () => {
    expect(messages({ 'data.x': 1, $or: [{ 'data.value': 'a' }, { ts: true }] })).toHaveLength(3);
    expect(messages({ 'data.status': 'converted' }, ['conversation.ended', 'conversion.recorded'])).toEqual(
      [],
    );
    expect(messages({ 'data.status': 'open' }, ['conversation.ended'])).toEqual([
      'filter.data.status: Must be one of ended, converted, closed.',
    ]);
  });

  describe('with custom.* among the event types', () => {
    const ALL: EventTypeName[] = ['conversion.recorded', 'custom.*'];

    test.each(['conversion.recorded', 'custom.signup', 'custom.page.viewed'])(
      'accepts the name %s',
      (name) => {
        expect(messages({ event: name }, ALL)).toEqual([]);
        expect(messages({ event: { $nin: [name, null] } }, ALL)).toEqual([]);
      },
    );

    test('refuses custom.*, which no event has as its name, and says what would work', () => {
      const problem =
        'custom.* is the name of no event; use that of a custom type, such as custom.page.viewed, or for those of all {"$regex": "^custom[.]"}.';
      expect(messages({ event: 'custom.*' }, ALL)).toEqual([`filter.event: ${problem}`]);
      expect(messages({ event: { $in: ['custom.a', 'custom.*'] } }, ALL)).toEqual([
        `filter.event.$in.1: ${problem}`,
      ]);
      const working = { event: { $regex: '^custom[.]' } };
      expect(messages(working, ALL)).toEqual([]);
      expect(failed(working, custom(1))).toBeNull();
      expect(failed(working)).not.toBeNull();
    });

    test.each(['conversion.recordd', 'conversation.ended', 'custom.', 'custom.Page', 'custom.conversion'])(
      'refuses the name %s',
      (name) => {
        expect(messages({ event: name }, ALL)).toEqual([
          'filter.event: Must be one of conversion.recorded, custom. and a custom type, such as custom.page.viewed.',
        ]);
      },
    );

    test('accepts of the custom types only those that are named, without custom.*', () => {
      expect(messages({ event: 'custom.page' }, CUSTOM)).toEqual([]);
      for (const event of ['custom.*', 'custom.other'])
        expect(messages({ event }, CUSTOM)).toEqual(['filter.event: Must be one of custom.page.']);
    });
  });

  test('names of the prototype are no fields', () => {
    for (const name of ['__proto__', 'constructor', 'data.constructor', 'data.__proto__.x'])
      expect(messages(JSON.parse(`{"${name}": 1}`))[0]).toContain('No subscribed event type has the field');
  });
});
