import { expect, test } from 'vitest';
import { csvLine } from '../../../src/platform/csv.ts';

test('text is quoted, numbers and dates are readable, and nothing is an empty cell', () => {
  const at = new Date('2026-01-31T09:30:00Z');
  expect(csvLine(['a "b", c', -1.5, true, null, undefined, at, { a: [1] }])).toBe(
    '"a ""b"", c",-1.5,true,,,"2026-01-31T09:30:00.000Z","{""a"":[1]}"\r\n',
  );
});

test.each(['=1+1', '+1', '-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1'])(
  'a spreadsheet does not take %j for a formula',
  (text) => {
    expect(csvLine([text])).toBe(`"'${text}"\r\n`);
  },
);

test('what is no formula stays as it is', () => {
  expect(csvLine(['a=1', 'ada@example.com', '1+1', ''])).toBe('"a=1","ada@example.com","1+1",""\r\n');
});
