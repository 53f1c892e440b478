import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvScanner } from '../../../src/sidecar/load/csv-scanner.ts';

const WIDTH = 3;

interface Scanned {
  cells: (number | string)[];
  line: number;
  problem: string | null;
}

/** Scans a text that becomes known in pieces of `step` bytes. */
function scan(text: string, step: number): { records: Scanned[]; open: boolean } {
  const bytes = Buffer.from(text);
  const buffer = Buffer.alloc(bytes.length + 1);
  const scanner = new CsvScanner({ buffer, width: WIDTH, isText: () => false });
  const records: Scanned[] = [];
  let at = 0;
  for (let end = Math.min(step, bytes.length); ; end = Math.min(end + step, bytes.length)) {
    bytes.copy(buffer, at, at, end);
    const last = end === bytes.length;
    while (at < end) {
      const next = scanner.next(at, end, last);
      if (next < 0) break;
      at = next;
      const { numbers, texts, cells, blank, problem } = scanner.record;
      if (blank) continue;
      const values = Array.from({ length: Math.min(cells, WIDTH) }, (_, cell) =>
        Number.isNaN(numbers[cell]) ? (texts[cell] ?? '') : (numbers[cell] ?? Number.NaN),
      );
      records.push({ cells: values, line: scanner.line, problem });
    }
    if (last) return { records, open: at < end };
  }
}

const steps = fc.integer({ min: 1, max: 40 });

test('numbers are those that JavaScript reads from the same digits', () => {
  const digits = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(fc.integer(), fc.nat(99_999_999)).map(([whole, part]) => `${whole}.${part}`),
    fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map(String),
  );
  const records = fc.array(fc.tuple(digits, digits, digits), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(records, steps, fc.constantFrom('\n', '\r\n'), (rows, step, ending) => {
      const found = scan(rows.map((row) => row.join(',')).join(ending), step).records;
      const numbers = found.map(({ cells }) => cells.map(Number));
      expect(numbers).toEqual(rows.map((row) => row.map(Number)));
    }),
  );
});

test('quoted cells are read as they were written, wherever the bytes are split', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '7', '"', ',', '\n', '\r\n', 'ä', '😀') });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 10 }), steps, (rows, step) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const text = rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
      const { records, open } = scan(text, step);
      expect(open).toBe(false);
      expect(records.map(({ cells }) => cells)).toEqual(rows.map((row) => row.map((value) => value.trim())));
      expect(records.every(({ problem }) => problem === null)).toBe(true);
      expect(records.at(-1)?.line ?? 0).toBe(text.split('\n').length - 1);
    }),
  );
});

test('a quotation mark that is not closed or not doubled is a problem', () => {
  expect(scan('1,2,3\n4,"5,6\n7,8,9\n', 5)).toMatchObject({ records: [{ line: 1 }], open: true });
  const [record] = scan('"a"b,2,3\n', 100).records;
  expect(record?.problem).toBe('A quotation mark inside a quoted cell must be doubled.');
  expect(scan('a"b,2,3\n', 100).records).toEqual([{ cells: ['a"b', 2, 3], line: 1, problem: null }]);
});
