import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';

/** Files and folders whose text the check covers, including generated files: their descriptions are published. */
const ROOTS = [
  'src',
  'schema',
  'scripts',
  'test',
  'packages/client/src',
  'packages/client/README.md',
  'docs',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const TEXT_EXTENSIONS = [
  '.ts',
  '.tsx',
  '.js',
  '.mjs',
  '.css',
  '.html',
  '.json',
  '.graphql',
  '.md',
  '.py',
  '.yaml',
  '.yml',
];

/** Words and phrases that the writing style excludes because a standard term exists. */
const BANNED = [
  'whoever',
  'nobody',
  'somebody',
  'anybody',
  'anew',
  'hears of',
  'is told',
  'are told',
  'was told',
  'tells of',
  'switched off',
  'stand-in',
  'way out',
  'nothing but',
  'takes hold',
  'took hold',
  'comes about',
  'of itself',
  'all in all',
  'stands where',
  'what becomes of',
  'gives up its',
  'a moment before',
];

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns a pattern of the phrase as a part of an identifier, such as `isStandIn`. */
function identifierPattern(phrase: string): string {
  const [first = '', ...rest] = phrase.split(/[ -]/);
  return `(?:(?<![A-Za-z])${first}|${capitalized(first)})${rest.map(capitalized).join('')}(?![a-z])`;
}

const PATTERNS = [
  // Also across a line break within a comment.
  new RegExp(`\\b(?:${BANNED.join('|').replaceAll(' ', '[\\s*/]+')})\\b`, 'gi'),
  new RegExp(
    BANNED.filter((phrase) => /[ -]/.test(phrase))
      .map(identifierPattern)
      .join('|'),
    'g',
  ),
];

const PROJECT = resolve(import.meta.dirname, '..');

async function textFiles(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TEXT_EXTENSIONS.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const files = (await Promise.all(ROOTS.map((root) => textFiles(join(PROJECT, root)))))
  .flat()
  // It contains the phrases themselves.
  .filter((file) => file !== import.meta.filename);
for (const file of files) {
  const text = await readFile(file, 'utf8');
  for (const { 0: found, index } of PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const line = text.slice(0, index).split('\n').length;
    process.stdout.write(`${relative(PROJECT, file)}:${line}: ${found.replace(/[\s*/]+/g, ' ')}\n`);
    process.exitCode = 1;
  }
}
