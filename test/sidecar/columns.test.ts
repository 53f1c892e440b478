import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLUMNS_TYPE } from '../../src/sidecar/samples/columns-body.ts';
import { startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());

const { NaN: NONE } = Number;

interface Body {
  header: unknown;
  numbers?: number[];
  codes?: number[];
}

/** Builds a body from its documented layout. */
function bodyOf({ header, numbers = [], codes = [] }: Body): Buffer {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const start = Math.ceil((4 + Buffer.byteLength(text)) / 8) * 8;
  const body = Buffer.alloc(start + numbers.length * 8 + codes.length * 4, ' ');
  body.writeUInt32LE(start - 4);
  body.write(text, 4);
  for (const [index, value] of numbers.entries()) body.writeDoubleLE(value, start + index * 8);
  for (const [index, code] of codes.entries()) {
    body.writeUInt32LE(code, start + numbers.length * 8 + index * 4);
  }
  return body;
}

const header = {
  set: 'current',
  stage: 'lead',
  rows: 2,
  features: [
    { name: 'age', numbers: true },
    { name: 'source', numbers: false, words: ['mail', 'ads'] },
  ],
};
const VALID: Body = { header, numbers: [0.5, 0.25, 1, NONE, 30, NONE], codes: [1, 2] };

interface Rejection {
  error: { code: string; details?: { path: string }[] };
}

const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
  sidecar.request<Rejection>('POST', '/samples', body, { 'content-type': COLUMNS_TYPE, ...headers });

const features = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `f${index}`, numbers: true }));

describe('POST /samples with columns', () => {
  test('stores the same as JSON', async () => {
    expect(await post(bodyOf(VALID))).toMatchObject({
      status: 200,
      body: { set: 'current', stage: 'lead', added: 2 },
    });
    await sidecar.add('current', 'lead', [
      { features: { age: 30, source: 'mail' }, prediction: 0.5, outcome: 1 },
      { features: { age: null, source: 'ads' }, prediction: 0.25, outcome: null },
    ]);
    const [columns, json] = await sidecar.db
      .collection('batches')
      .find({}, { sort: { n: 1 } })
      .toArray();
    const valuesOf = ({ _id, n, ...values }: Record<string, unknown> = {}) => JSON.stringify(values);
    expect(valuesOf(columns)).toEqual(valuesOf(json));
    await sidecar.request('DELETE', '/samples?set=current');
  });

  test('accepts no rows, features without values, and unpadded memory', async () => {
    const empty = bodyOf({ header: { ...header, rows: 0, features: [] } });
    expect(await post(empty)).toMatchObject({ status: 200, body: { added: 0 } });
    const withoutValues = bodyOf({
      header: {
        ...header,
        features: [
          { name: 'a', numbers: true },
          { name: 'b', numbers: false, words: [] },
          { name: 'c', numbers: false },
        ],
      },
      numbers: [0.5, 0.25, NONE, NONE, NONE, NONE],
      codes: [0, 0],
    });
    expect((await post(withoutValues)).status).toBe(200);
    const [stored] = await sidecar.db.collection('batches').find().toArray();
    expect([stored?.columns.fa, stored?.columns.fb, stored?.columns.fc]).toEqual([{}, {}, {}]);
    await sidecar.request('DELETE', '/samples?set=current');
  });

  const misaligned = Buffer.from(`\x05\0\0\0{"a":1}`);
  const tooLong = Buffer.from(bodyOf(VALID));
  tooLong.writeUInt32LE(0xffff_fffc);
  const malformed: [string, Uint8Array][] = [
    ['three bytes', Buffer.alloc(3)],
    ['a header beyond its end', tooLong],
    ['a header that does not end at a multiple of 8', misaligned],
    ['a header that is not JSON', bodyOf({ header: '{"set":' })],
    ['a header that is a list', bodyOf({ header: [] })],
    ['a header without rows', bodyOf({ header: { ...header, rows: undefined } })],
    ['half a row', bodyOf({ ...VALID, header: { ...header, rows: 1.5 } })],
    ['less than no rows', bodyOf({ ...VALID, header: { ...header, rows: -2 } })],
    ['features that are no list', bodyOf({ ...VALID, header: { ...header, features: {} } })],
    ['a feature that is null', bodyOf({ ...VALID, header: { ...header, features: [null] } })],
    [
      'a feature with an unknown field',
      bodyOf({ header: { ...header, features: [{ name: 'a', numbers: true, x: 1 }] } }),
    ],
    ['a number too few', bodyOf({ ...VALID, numbers: [0.5, 0.25, 1, NONE, 30] })],
    ['a byte too many', Buffer.concat([bodyOf(VALID), Buffer.alloc(1)])],
    ['fewer rows than numbers', bodyOf({ ...VALID, header: { ...header, rows: 1 } })],
  ];

  test.each(malformed)('rejects %s', async (_what, body) => {
    const { status, body: answer } = await post(body);
    expect([status, answer.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(await sidecar.db.collection('batches').countDocuments()).toBe(0);
  });

  const withFeatures = (list: unknown[], numbers: number[] = [], codes: number[] = []): Body => ({
    header: { ...header, features: list },
    numbers: [0.5, 0.25, 1, NONE, ...numbers],
    codes,
  });
  const source = { name: 'source', numbers: false, words: ['ads', 'mail'] };
  const invalid: [string, Body, string][] = [
    ['an unknown set', { ...VALID, header: { ...header, set: 'other' } }, 'set'],
    ['an empty stage', { ...VALID, header: { ...header, stage: '' } }, 'stage'],
    ['a stage with a line break', { ...VALID, header: { ...header, stage: 'a\nb' } }, 'stage'],
    ['an unknown field', { ...VALID, header: { ...header, more: 1 } }, 'more'],
    [
      'too many rows',
      { header: { ...header, rows: 50_001, features: [] }, numbers: Array(100_002).fill(0) },
      'rows',
    ],
    ['rows too large to store', { header: { ...header, rows: 50_000, features: features(60) } }, 'rows'],
    [
      'too many features, even without values',
      withFeatures(features(401).map((feature) => ({ ...feature, numbers: false }))),
      'features',
    ],
    ['a feature without a name', withFeatures([{ name: '', numbers: false }]), 'features.'],
    ['a reserved name', withFeatures([{ name: 'residual', numbers: false }]), 'features.residual'],
    [
      'a name twice',
      withFeatures([
        { name: 'a', numbers: false },
        { name: 'a', numbers: false },
      ]),
      'features.a',
    ],
    ['a word twice', withFeatures([{ ...source, words: ['ads', 'ads'] }], [], [1, 2]), 'features.source'],
    [
      'a word too long',
      withFeatures([{ ...source, words: ['x'.repeat(501)] }], [], [1, 1]),
      'features.source',
    ],
    ['a word that is no string', withFeatures([{ ...source, words: [7] }], [], [1, 1]), 'features.source'],
    [
      'half of a surrogate pair',
      withFeatures([{ ...source, words: ['\ud800'] }], [], [1, 1]),
      'features.source',
    ],
    ['a code without a word', withFeatures([source], [], [1, 3]), 'rows.1.features.source'],
    ['a word without a row', withFeatures([source], [], [1, 1]), 'rows.1.features.source'],
    [
      'a number and a word in one row',
      withFeatures([{ ...source, numbers: true }], [NONE, 7], [1, 2]),
      'rows.1.features.source',
    ],
    ['no prediction', { ...VALID, numbers: [0.5, NONE, 1, NONE, 30, NONE] }, 'rows.1.prediction'],
    ['an infinite prediction', { ...VALID, numbers: [0.5, -Infinity, 1, 1, 1, 1] }, 'rows.1.prediction'],
    ['a prediction beyond 1e300', { ...VALID, numbers: [2e300, 0, 1, 1, 1, 1] }, 'rows.0.prediction'],
    ['an infinite outcome', { ...VALID, numbers: [0, 0, Infinity, 1, 1, 1] }, 'rows.0.outcome'],
    ['an infinite feature', { ...VALID, numbers: [0, 0, 1, 1, 1, Infinity] }, 'rows.1.features.age'],
    [
      'a row with 201 features',
      withFeatures(
        features(201),
        Array.from({ length: 402 }, (_, index) => (index === 0 ? NONE : index)),
      ),
      'rows.1.features',
    ],
  ];

  test.each(invalid)('rejects %s, and names it', async (_what, body, path) => {
    const { status, body: answer } = await post(bodyOf(body));
    expect([status, answer.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.error.details?.map((detail) => detail.path)).toContain(path);
    expect(await sidecar.db.collection('batches').countDocuments()).toBe(0);
  });

  test('accepts more than 200 features in rows that have at most 200 each', async () => {
    const numbers = Array.from({ length: 402 }, (_, index) => (index === 0 || index === 3 ? NONE : index));
    expect((await post(bodyOf(withFeatures(features(201), numbers)))).status).toBe(200);
    await sidecar.request('DELETE', '/samples?set=current');
  });

  test('sends HTTP 102 only to a client that prefers it, and not through a proxy', async () => {
    const statuses = async (headers: Record<string, string>): Promise<number[]> => {
      const found: number[] = [];
      const { statusCode, body } = await request(`${sidecar.url}/samples`, {
        method: 'POST',
        headers: { 'content-type': COLUMNS_TYPE, ...headers },
        body: bodyOf(VALID),
        onInfo: (info) => found.push(info.statusCode),
      });
      await body.dump();
      return [...found, statusCode];
    };
    expect(await statuses({})).toEqual([200]);
    expect(await statuses({ prefer: 'processing' })).toEqual([102, 200]);
    expect(await statuses({ prefer: 'processing', via: '1.1 proxy' })).toEqual([200]);
    expect(await statuses({ prefer: 'processing', 'x-forwarded-for': '10.0.0.1' })).toEqual([200]);
    await sidecar.request('DELETE', '/samples?set=current');
  });

  test('requires the exact media type, uncompressed', async () => {
    const rejected: Record<string, string>[] = [
      { 'content-type': `${COLUMNS_TYPE}; v=2` },
      { 'content-encoding': 'gzip' },
    ];
    for (const headers of rejected) {
      expect((await post(bodyOf(VALID), headers)).status).toBe(415);
    }
  });
});
