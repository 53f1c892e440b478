import { expect, test } from 'vitest';
import { filesBelow, headings, read } from './support.ts';

const sources = ['src', 'schema', 'scripts', 'test']
  .flatMap((folder) => filesBelow(folder, /\.(ts|tsx|py)$/))
  .filter((path) => !path.startsWith('test/docs/'));

/** "contract 4", "contract section 1", "contract 5, 7 and 9", "contract's order (section 4)". */
const CONTRACT = /\bcontract(?:'s [a-z ]+\()?,? ?(?:section )?(\d+(?:(?:, | and )\d+)*)/gi;
const SPECIFICATION = /\bspecification, "([^"]+)"/gi;

const referencesTo = (pattern: RegExp): { path: string; reference: string }[] =>
  sources.flatMap((path) =>
    [...read(path).matchAll(pattern)].map(([, reference = '']) => ({ path, reference })),
  );

test('every reference to the contract names one of its sections', () => {
  const sections = headings(read('docs/contract.md')).flatMap(
    (heading) => /^(\d+)\. /.exec(heading)?.[1] ?? [],
  );
  const references = referencesTo(CONTRACT).flatMap(({ path, reference }) =>
    reference.split(/, | and /).map((section) => ({ path, section })),
  );
  expect(references.length).toBeGreaterThan(50);
  expect(references.filter(({ section }) => !sections.includes(section))).toEqual([]);
});

test('every reference to the specification names one of its sections', () => {
  const sections = headings(read('docs/specification.md'));
  const references = referencesTo(SPECIFICATION);
  expect(references.length).toBeGreaterThan(5);
  expect(references.filter(({ reference }) => !sections.includes(reference))).toEqual([]);
});
