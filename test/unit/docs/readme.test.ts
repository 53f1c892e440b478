import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { read } from './support.ts';

const blocks = (language: string): string[] =>
  [...read('README.md').matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

test('every shell block of the README is valid in sh, so that it can be pasted as a whole', () => {
  expect(blocks('sh').length).toBeGreaterThan(5);
  for (const script of blocks('sh')) execFileSync('sh', ['-n'], { input: script });
});

test('the encryption key of the README is outside of the working tree, and git and Docker ignore keys in it', () => {
  const [, path = ''] = /openssl rand -hex 32 > "\$(\w+)"/.exec(read('README.md')) ?? [];
  expect(read('README.md')).toMatch(new RegExp(`^${path}=~/\\S+\\.key;`, 'm'));
  expect(read('.gitignore').split('\n')).toContain('*.key');
  expect(read('.dockerignore').split('\n')).toContain('**/*.key');
});

test('README stays short', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(260);
});
