import { expect, test } from 'vitest';
import { ERROR_STATUS } from '../../../src/errors/error-codes.ts';
import { read } from './support.ts';

test('docs/errors.md has every error code with its HTTP status, in the order of the code', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(
    ([, code, status]) => [code, Number(status)],
  );
  expect(rows).toEqual(Object.entries(ERROR_STATUS));
});
