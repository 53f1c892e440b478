import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFile(resolve(root, path), 'utf8');

test.each([
  ['ts', 'src/features/webhooks/signature/verify.ts'],
  ['python', 'docs/verify.py'],
])('README shows, as %s, the whole of %s as it is', async (language, path) => {
  const block = `\`\`\`${language}\n${(await read(path)).trimEnd()}\n\`\`\``;
  expect((await read('README.md')).includes(block), `README.md lacks ${path} as it is now`).toBe(true);
});
