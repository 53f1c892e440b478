import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../../..');

export const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

/** Returns the files below a folder as paths from the root; dependencies, data and build output are left out. */
export const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, resolve(entry.parentPath, entry.name)));

/** Documents for readers of the repository. */
export const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  'packages/client/README.md',
  ...filesBelow('docs', /\.md$/),
];

/** Removes fenced code blocks. */
export const prose = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```/gm, '');

/** Text of every heading of a document. */
export const headings = (markdown: string): string[] =>
  prose(markdown)
    .split('\n')
    .flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? []);
