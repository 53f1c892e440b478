import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EngagementClient } from '../../../packages/client/src/index.ts';

const README = new URL('../../../packages/client/README.md', import.meta.url);

const methodsOf = (member: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(member)).filter((name) => name !== 'constructor');

/** Returns the methods by member, such as `preview.events`. */
const methodsIn = (parent: object, prefix = ''): [name: string, methods: string[]][] =>
  Object.entries(parent).flatMap(([name, member]) => [
    ...(methodsOf(member).length > 0 ? [[prefix + name, methodsOf(member)] as [string, string[]]] : []),
    ...methodsIn(member, `${prefix}${name}.`),
  ]);

test('the README of the client lists every method', async () => {
  const client = new EngagementClient({ baseUrl: 'http://127.0.0.1', apiKey: 'eg_r_key' });
  const text = await readFile(README, 'utf8');
  const documented = [...text.matchAll(/^\| `([\w.]+)` \| (`.+) \|$/gm)].map(
    ([, name = '', methods = '']) => [
      name,
      [...methods.matchAll(/`(\w+)`/g)].map(([, method = '']) => method).sort(),
    ],
  );
  const actual = methodsIn(client).map(([name, methods]) => [name, methods.sort()] as const);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
});
