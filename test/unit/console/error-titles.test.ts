import { expect, test } from 'vitest';
import { ERROR_TITLES } from '../../../src/console/api/error-titles.ts';
import { ERROR_STATUS } from '../../../src/errors/error-codes.ts';

/** Codes of headers that the console does not send. */
const UNUSED = ['PRECONDITION_FAILED', 'EXPECTATION_FAILED'];

test('the console has a title for each error code', () => {
  const codes = Object.keys(ERROR_STATUS).filter((code) => !UNUSED.includes(code));
  expect(codes.filter((code) => !(code in ERROR_TITLES))).toEqual([]);
});
