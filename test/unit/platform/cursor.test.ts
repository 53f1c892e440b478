import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorCodec, isInteger } from '../../../src/platform/cursor.ts';
import { toPage } from '../../../src/platform/list-page.ts';
import { isObjectIdText } from '../../../src/platform/mongo/object-id.ts';

const ids = cursorCodec(['deliveries', 42, null], isObjectIdText);
const numbers = cursorCodec(['endpoints', 42], isInteger);
const ID = '0123456789abcdef01234567';
const REJECTED = expect.objectContaining({
  code: 'VALIDATION_FAILED',
  details: [expect.objectContaining({ path: 'cursor' })],
});

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a cursor', () => {
  test('decodes to the position that it encodes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{24}$/), (id) => {
        expect(ids.decode(ids.encode(id))).toBe(id);
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeInteger(), (position) => {
        expect(numbers.decode(numbers.encode(position))).toBe(position);
      }),
    );
  });

  test('needs no escaping in a URL', () => {
    expect(ids.encode(ID)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test.each([
    ['of another list', cursorCodec(['endpoints', 42, null], isObjectIdText).encode(ID)],
    ['of another tenant', cursorCodec(['deliveries', 77, null], isObjectIdText).encode(ID)],
    ['of another filter', cursorCodec(['deliveries', 42, 'failed'], isObjectIdText).encode(ID)],
    ['of a list with fewer filters', cursorCodec(['deliveries', 42], isObjectIdText).encode(ID)],
    ['with a position of another type', base64([7, JSON.stringify(['deliveries', 42, null])])],
    ['with a malformed position', base64(['x', JSON.stringify(['deliveries', 42, null])])],
    ['with an operator as the position', base64([{ $gt: '' }, JSON.stringify(['deliveries', 42, null])])],
    ['with an extra element', base64([ID, JSON.stringify(['deliveries', 42, null]), 1])],
    ['without its list', base64([ID])],
    ['that is an object', base64({ 0: ID })],
    ['that is null', base64(null)],
    ['that is empty', ''],
    ['that is no base64url', '%%%'],
    ['that is no JSON', Buffer.from('{').toString('base64url')],
    ['that is a bare ID', ID],
    ['with padding', `${ids.encode(ID)}=`],
    ['with a suffix', `${ids.encode(ID)}!`],
    ['with a prefix', ` ${ids.encode(ID)}`],
    [
      'with white space in its JSON',
      Buffer.from(`[ "${ID}",${JSON.stringify('["deliveries",42,null]')}]`).toString('base64url'),
    ],
  ])('%s is rejected', (_name, cursor) => {
    expect(() => ids.decode(cursor)).toThrow(REJECTED);
  });

  test('any other text is rejected', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => numbers.decode(text)).toThrow(REJECTED);
      }),
    );
  });

  test('treats a missing filter and null alike', () => {
    const absent = cursorCodec(['deliveries', 42, undefined], isObjectIdText);
    expect(absent.decode(ids.encode(ID))).toBe(ID);
  });
});

test.each([
  [0, true],
  [-1, true],
  [1.5, false],
  [2 ** 53, false],
  [Number.NaN, false],
  ['1', false],
  [null, false],
])('isInteger(%j) is %s', (value, expected) => {
  expect(isInteger(value)).toBe(expected);
});

describe('a page', () => {
  const edge = (node: number) => ({ cursor: `c${node}`, node });

  test.each([
    ['no rows', [], [], false],
    ['fewer rows than the limit', [1], [1], false],
    ['as many rows as the limit', [1, 2], [1, 2], false],
    ['one row more than the limit', [1, 2, 3], [1, 2], true],
  ])('of %s', (_name, rows, nodes, hasMore) => {
    expect(toPage(rows, 2, edge)).toEqual({ edges: nodes.map(edge), hasMore });
  });
});
