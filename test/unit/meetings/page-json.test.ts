import { describe, expect, test } from 'vitest';
import {
  parseEnvelope,
  parseMeetingJson,
  parseMeetings,
} from '../../../src/features/meetings/provider/page-json.ts';

const LISTS = ['meetings', 'data'];

/** Returns the page as `JSON.parse` does; null if it is not JSON. */
async function read(text: string): Promise<unknown> {
  const parsed = await parseEnvelope(text, LISTS);
  if (!parsed) return null;
  const lists: Record<string, unknown[]> = {};
  for (const [name, ranges] of parsed.meetings) {
    const items = await Array.fromAsync(parseMeetings(text, ranges, 'id'));
    if (items.includes(undefined)) return null;
    lists[name] = items;
  }
  return { ...(parsed.envelope as object), ...lists };
}

describe('a page', () => {
  test.each([
    '{}',
    '{"meetings":[]}',
    ' { "meetings" : [ ] , "next" : null } ',
    '{"meetings":[1,"a,b]",{"a":[1,{"b":"]}"}]},null],"next_cursor":"x"}',
    '{"data":[{"meetings":[1,2]}],"meta":{"meetings":[3],"a":[[],{}]}}',
    '{"\\u006deetings":[{"id":"\\"]\\\\"}],"meetings ":[4]}',
    '{"meetings":[1],"meetings":[2,3],"next":"a","next":"b"}',
    '{"meetings":{"data":[1]},"data":"[1]"}',
    '{"next":"meetings","x":[1]}',
    '{"meetings":[[1],[2]],"data":[3]}',
  ])('is what JSON.parse returns: %s', async (text) => {
    expect(await read(text)).toEqual(JSON.parse(text));
  });

  test.each([
    '{"meetings":[1}',
    '{"meetings":[1},"x":2}',
    '{"meetings":[1,]}',
    '{"meetings":[,1]}',
    '{"meetings":[1]]',
    '{"meetings":[{"a":1]]}',
    '{"meetings":[1]',
    '{"meetings":[1 2]}',
    '{"meetings":[nul]}',
    '{"meetings":["a]}',
    '{"meetings":["a\\"]}',
    '{"meetings":[] "next":1}',
    '{"mee\ntings":[1]}',
    '{"meetings":[]}}',
    '{"meetings":[]}{}',
    '}{',
    '',
  ])('that is not JSON is refused: %j', async (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(await read(text)).toBeNull();
  });
});

test.each(['{"id":"a","transcript":[{}]}', '[1,2]', '"a"', '{"a":1]', '{"a":', '[1]]', ''])(
  'a meeting is what JSON.parse returns, if anything: %s',
  async (text) => {
    let expected: unknown;
    try {
      expected = JSON.parse(text);
    } catch {
      // Not JSON.
    }
    expect(await parseMeetingJson(text, 'id')).toEqual(expected);
  },
);

test.each([
  ['9007199254740993', '9007199254740993'],
  ['-12345678901234567890', '-12345678901234567890'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['1e300', 1e300],
])('the id %s of a meeting keeps its digits', async (literal, id) => {
  const text = `{"title":"\\"id\\": 9007199254740992,","the \\"id": 9007199254740992,"of":{"id": 9007199254740995},"id" : ${literal} }`;
  expect(await parseMeetingJson(text, 'id')).toMatchObject({ id });
});

test('the id of a meeting that cannot be told from another one stays a number', async () => {
  const text = '{"of":{"id":9007199254740992},"id":9007199254740993}';
  expect(await parseMeetingJson(text, 'id')).toMatchObject({ id: 9_007_199_254_740_992 });
});

describe('a response beyond a bound is refused before it is parsed', () => {
  test.each([
    ['1,000 meetings per page', `{"meetings":[${'1,'.repeat(524_000)}1]}`],
    ['1,000 meetings per page', `{"meetings":[${'{},'.repeat(20 * 1024 * 1024)}{}]}`],
    ['250,000 values per meeting', `{"meetings":[[${'{},'.repeat(5_000_000)}{}]]}`],
    ['250,000 values per meeting', `{"meetings":[${'['.repeat(500_000)}`],
    ['33,554,432 characters per meeting', `{"meetings":["${'a'.repeat(33 * 1024 * 1024)}"]}`],
    ['33,554,432 characters per meeting', `{"meetings":["${'\\"'.repeat(17 * 1024 * 1024)}"]}`],
    ['262,144 characters beside the meetings', `{"x":[${'{},'.repeat(5_000_000)}{}],"meetings":[]}`],
    ['262,144 characters beside the meetings', `{"meetings":[],"x":"${'a'.repeat(300_000)}"}`],
  ])('%s', async (bound, text) => {
    const before = process.memoryUsage().heapUsed;
    await expect(parseEnvelope(text, LISTS)).rejects.toMatchObject({
      code: 'too_large',
      message: `The provider's response exceeds the maximum of ${bound}.`,
    });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });
});
