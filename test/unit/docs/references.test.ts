import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, headings, read, root } from './support.ts';

const sources = ['src', 'schema', 'scripts', 'test']
  .flatMap((folder) => filesBelow(folder, /\.(ts|tsx|py)$/))
  .filter((path) => !path.startsWith('test/docs/'));

/** "contract 4", "contract 5, 7 and 9", "contract's order (section 4)". */
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

/** A file in a comment: `src/errors/to-app-error.ts` from the root, or `queue.store.ts` beside the commented one. */
const FILE = /(?<![\w./@-])(?:[\w-]+\/)*[\w.-]+\.(?:tsx?|md|py)\b/g;

const commentsOf = (code: string): string[] => code.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? [];

test('every file that a comment names exists', () => {
  const references = ['src', 'schema', 'scripts']
    .flatMap((folder) => filesBelow(folder, /\.(ts|tsx)$/))
    .filter((path) => !path.startsWith('src/console/generated/'))
    .flatMap((path) =>
      commentsOf(read(path))
        .flatMap((comment) => comment.match(FILE) ?? [])
        .map((reference) => ({ path, reference })),
    );
  const isMissing = ({ path, reference }: (typeof references)[number]) =>
    ![root, resolve(root, dirname(path))].some((folder) => existsSync(resolve(folder, reference)));
  expect(references.length).toBeGreaterThan(5);
  expect(references.filter(isMissing)).toEqual([]);
});
