import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documents, headings, prose, read, root } from './support.ts';

/** Anchor of a heading as GitHub derives it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const linksIn = (markdown: string): string[] =>
  [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** Paths of the repository that a document names in code spans; a span with a placeholder or a wildcard is none. */
const pathsIn = (markdown: string): string[] =>
  [...prose(markdown).matchAll(/`((?:src|schema|scripts|test|docs)\/[^`\s<>*{}…]*)`/g)].map(
    ([, path = '']) => path,
  );

const isMissing = (target: string, from: string): boolean => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? resolve(root, from) : resolve(root, dirname(from), path);
  if (!existsSync(file)) return true;
  return anchor !== undefined && !headings(read(file)).map(anchorOf).includes(anchor);
};

describe.each(documents)('%s', (document) => {
  test('links only to files and headings that exist', () => {
    const relative = linksIn(read(document)).filter((target) => !/^[a-z]+:/.test(target));
    expect(relative.filter((target) => isMissing(target, document))).toEqual([]);
  });

  test('names only paths that exist', () => {
    expect(pathsIn(read(document)).filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
  });
});
