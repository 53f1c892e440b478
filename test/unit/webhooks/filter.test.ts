import { describe, expect, test } from 'vitest';
import type { EventName } from '../../../src/features/outbox/event-catalog.ts';
import type { EndpointDoc } from '../../../src/features/webhooks/endpoints/endpoint.model.ts';
import { failedClause, filterIssues } from '../../../src/features/webhooks/endpoints/filter.ts';

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

const messages = (filter: Record<string, unknown>, events: EventName[] | null = CONVERSION) =>
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

  test('a pattern that backtracks without end elsewhere takes linear time', () => {
    const data = { conversionType: `${'a'.repeat(499)}!` };
    const start = performance.now();
    expect(failed({ 'data.conversionType': { $regex: '^(a+)+$' } }, { data })).not.toBeNull();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('checking a filter', () => {
  test('accepts every path of the subscribed event types, and null for any', () => {
    expect(messages({ event: null, ts: 1, 'data.value': 5, 'data.orgId': { $regex: '^org_' } })).toEqual([]);
    expect(messages({ 'data.converted': true, 'data.value': 1 }, null)).toEqual([]);
    expect(messages({ 'data.features.bin.lower': { $gte: 3 } }, ['drift.detected'])).toEqual([]);
    expect(messages({ data: { $exists: true } })).toEqual([]);
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
      { event: { $regex: '(a{25}){40}' } },
      'filter.event.$regex: The pattern is too large; use shorter repetitions, or conditions on several fields.',
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

  test('names of the prototype are no fields', () => {
    for (const name of ['__proto__', 'constructor', 'data.constructor', 'data.__proto__.x'])
      expect(messages(JSON.parse(`{"${name}": 1}`))[0]).toContain('No subscribed event type has the field');
  });
});
