import { expect, test } from 'vitest';
import { secretsOf, withoutSecrets } from '../../../src/features/webhooks/delivery/response-secrets.ts';
import {
  newKeyPair,
  newSecret,
  readPrivateKey,
  signatureHeaders,
} from '../../../src/features/webhooks/signature/sign.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const KEY = 'key-5f3a-9b1c';

/** Body and headers of a response to a request with these values. */
function shown(values: string[], body: string, headers = {}, truncated = false): [string, unknown] {
  const response = { ok: true, status: 200, headers: {}, allHeaders: headers, body, truncated } as const;
  const masked = withoutSecrets({ ...response, durationMs: 1 }, values);
  return masked.ok ? [masked.body, masked.allHeaders] : ['', null];
}

test.each([
  ['a header of the request', [KEY], `X-Api-Key: ${KEY}, again ${KEY}`, 'X-Api-Key: ***, again ***'],
  [
    'credentials without their scheme',
    [`Bearer ${KEY}`],
    `the token ${KEY} is unknown`,
    'the token *** is unknown',
  ],
  ['a value as a string of JSON', ['say "hello"'], '{"h":"say \\"hello\\""}', '{"h":"***"}'],
  ...[
    ['itself', 'sec/ret+&<key>'],
    ['PHP', 'sec\\/ret+&<key>'],
    ['.NET', 'sec/ret\\u002B\\u0026\\u003Ckey\\u003E'],
    ['Go', 'sec/ret+\\u0026\\u003ckey\\u003e'],
    ['a form', 'sec%2Fret%2B%26%3ckey%3e'],
    [
      'every character escaped',
      [...'sec/ret+&<key>'].map((each) => `%${each.charCodeAt(0).toString(16)}`).join(''),
    ],
  ].map(([writer, escaped]): [string, string[], string, string] => [
    `a value as written by ${writer}`,
    ['Bearer sec/ret+&<key>'],
    `{"h":"${escaped}","n":"\\n"}`,
    '{"h":"***","n":"\\n"}',
  ]),
  // As sent, in JSON and in a URL.
  ['a value that looks escaped', ['a%2Fb\\/cd'], 'a%2Fb\\/cd a%2Fb\\\\\\/cd a%252Fb%5C%2fcd', '*** *** ***'],
  ['a value in which another is escaped', [KEY, `${KEY}/longer`], `${KEY}\\/longer`, '***'],
  ['a value that contains another', [KEY, `${KEY}-longer`], `${KEY}-longer ${KEY}`, '*** ***'],
  ['nothing for a value that is part of words', ['prod', ''], 'no such product', 'no such product'],
  ['nothing without values', [], KEY, KEY],
])('the body of a response is shown without %s', (_, values, body, expected) => {
  expect(shown(values, body)[0]).toBe(expected);
});

test('the body that was cut within a value is shown without its beginning', () => {
  for (const length of [6, 10, KEY.length])
    expect(shown([KEY], `key: ${KEY.slice(0, length)}`, {}, true)[0]).toBe('key: ***');
  for (const end of ['\\', '\\u', '\\u00', '%', '%2', '\\/', '%2F', '\\u002Fr'])
    expect(shown(['key-5f3a/r+9b1c'], `key: key-5f3a${end}`, {}, true)[0]).toBe('key: ***');
  // A body that ends so by itself.
  expect(shown([KEY], `key: ${KEY.slice(0, 10)}`)[0]).toBe(`key: ${KEY.slice(0, 10)}`);
});

test('the headers of a response are shown without the values of the request', () => {
  const headers = { 'x-echo': `got ${KEY}`, 'set-cookie': ['a=1', `b=${KEY}`], server: 'nginx' };
  const json = 'application/json';
  expect(shown([KEY, json], json, { 'content-type': json })).toEqual(['***', { 'content-type': json }]);
  expect(shown([KEY], '', headers)[1]).toEqual({
    'x-echo': ['got ***'],
    'set-cookie': ['a=1', 'b=***'],
    server: ['nginx'],
  });
});

test('a failure has nothing to mask', () => {
  const failure = { ok: false, error: 'timeout', status: undefined, durationMs: 1 } as const;
  expect(withoutSecrets(failure, [KEY])).toBe(failure);
});

test('secrets of a request are its custom headers, those without secrets aside, and each of its signatures', () => {
  const custom = {
    'X-Api-Key': KEY,
    Accept: 'application/json',
    'accept-language': 'en-GB',
    'Cache-Control': 'no-store',
  };
  expect(secretsOf({ custom, signed: {} })).toEqual([KEY]);
  const privateKey = readPrivateKey(newKeyPair().privateKey);
  const previous = { secret: newSecret(), until: new Date(2_000_000) };
  const event = { eventId: '5f3a9b1c5f3a9b1c5f3a9b1c', body: '{}', t: 1_000 };
  const signed = signatureHeaders({ secret: newSecret(), privateKey, previous, ...event });
  const secrets = secretsOf({ custom: {}, signed });
  expect(secrets).toHaveLength(4);
  expect(shown(secrets, JSON.stringify(signed))[0]).toBe(
    '{"X-SVC-Signature":"t=1000,v1=***,v1=***","X-SVC-Timestamp":"1000","webhook-id":"5f3a9b1c5f3a9b1c5f3a9b1c",' +
      '"webhook-timestamp":"1000","webhook-signature":"v1a,*** v1,***"}',
  );
});

test('the longest secrets and headers are masked in a short time', async () => {
  const value = 'a'.repeat(4_096);
  const cpuMs = await cpuMsOf(() => {
    for (const part of ['a', '\\u0061', '%61', '\\', '%'])
      shown(
        [value, `${value}b`, KEY],
        part.repeat(1_024 / part.length),
        { 'x-echo': part.repeat(16_384) },
        true,
      );
  });
  expect(cpuMs).toBeLessThan(1_000);
});
