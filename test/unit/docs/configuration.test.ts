import { expect, test } from 'vitest';
import { read } from './support.ts';

test('docs/configuration.md has every variable of src/config.ts, and no other', () => {
  const inCode = [...read('src/config.ts').matchAll(/^ {4}([A-Z][A-Z_]+):/gm)].map(([, name]) => name);
  const firstCells = [...read('docs/configuration.md').matchAll(/^\| (`[^|]+`) \|/gm)].map(
    ([, cell = '']) => cell,
  );
  const documented = firstCells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect(inCode.length).toBeGreaterThan(20);
  expect(documented.toSorted()).toEqual(inCode.toSorted());
});
