import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/features/webhooks/delivery/response-secrets.ts';

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
  ['a value that contains another', [KEY, `${KEY}-longer`], `${KEY}-longer ${KEY}`, '*** ***'],
  ['nothing for a value that is part of words', ['prod', ''], 'no such product', 'no such product'],
  ['nothing without values', [], KEY, KEY],
])('the body of a response is shown without %s', (_, values, body, expected) => {
  expect(shown(values, body)[0]).toBe(expected);
});

test('the body that was cut within a value is shown without its beginning', () => {
  for (const length of [6, 10, KEY.length])
    expect(shown([KEY], `key: ${KEY.slice(0, length)}`, {}, true)[0]).toBe('key: ***');
  // A body that ends so by itself.
  expect(shown([KEY], `key: ${KEY.slice(0, 10)}`)[0]).toBe(`key: ${KEY.slice(0, 10)}`);
});

test('the headers of a response are shown without the values of the request', () => {
  const headers = { 'x-echo': `got ${KEY}`, 'set-cookie': ['a=1', `b=${KEY}`], server: 'nginx' };
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
