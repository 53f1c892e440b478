import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/limits/limits.ts';

const HEADER = ['| Counted | In each | Default | Setting | Beyond it |', '|---|---|---|---|---|'];

const defaultText = (value: number | string | null): string =>
  typeof value === 'number' ? value.toLocaleString('en') : value === null ? 'none' : `\`${value}\``;

const rows = Object.values(LIMITS).map(
  ({ counted, scope, default: value, setting, beyond }) =>
    `| ${[counted, scope, defaultText(value), setting === null ? 'fixed' : `\`${setting}\``, beyond].join(' | ')} |`,
);

test('the table of limits in the contract is the one that the code applies', () => {
  const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8').split('\n');
  const start = contract.indexOf(HEADER[0] ?? '');
  const end = contract.indexOf('', start);
  expect(contract.slice(start, end)).toEqual([...HEADER, ...rows]);
});
