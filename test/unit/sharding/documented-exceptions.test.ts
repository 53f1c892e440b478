import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXCEPTIONS } from '../../support/sharding/untargeted-commands.ts';

const SCALE = readFileSync(join(import.meta.dirname, '../../../docs/scale.md'), 'utf8');

/** The rows of the table of commands that reach all shards: name, time and cost. */
const rows = (SCALE.split('## Commands for all tenants')[1] ?? '')
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('docs/scale.md lists exactly the permitted commands without a shard key, each with its cost', () => {
  const documented = rows?.map(([, name]) => name).sort();
  expect(documented).toEqual([...new Set(EXCEPTIONS.map(({ name }) => name))].sort());
  for (const [, name, when, cost] of rows ?? []) {
    expect(when, name).not.toBe('');
    expect(cost, name).toMatch(/\.$/);
  }
});
