import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  type Advisory,
  dependencies,
  type LockedPackages,
  unpinned,
  vulnerable,
} from '../../../scripts/supply-chain/lockfile.ts';

const PINNED = { version: '1.2.3', integrity: 'sha512-AAAA' };

test('every dependency needs a version and a SHA-512, and comes from the registry', () => {
  const registry = 'https://registry.npmjs.org/a/-/a-1.2.3.tgz';
  expect(
    unpinned({ '': {}, 'packages/client': {}, 'node_modules/a': { ...PINNED, resolved: registry } }),
  ).toEqual([]);
  expect(unpinned({ 'node_modules/@scope/own': { link: true, resolved: 'packages/own' } })).toEqual([]);
  for (const resolved of ['git+ssh://git@github.com/a/a.git#1', 'http://example.com/a.tgz', 'file:../a.tgz'])
    expect(unpinned({ 'node_modules/a': { ...PINNED, resolved } })).toEqual([
      expect.stringContaining(resolved),
    ]);
  for (const locked of [{ version: '1.2.3' }, { version: '1.2.3', integrity: 'sha1-AAAA' }])
    expect(unpinned({ 'node_modules/x/node_modules/a': locked })).toEqual([
      'a@1.2.3: has no SHA-512 in the lockfile',
    ]);
});

const ADVISORY = {
  id: 'GHSA-1',
  package: 'a',
  affected: [
    ['0.0.0', '1.2.3'],
    ['2.0.0', '2.10.0'],
  ] as [string, string][],
};

test.each([
  ['1.2.2', true],
  ['1.2.3', false],
  ['2.9.9', true],
  ['2.10.0', false],
  ['2.9.0-rc.1', true],
  ['3.0.0', false],
])('a@%s is vulnerable: %s', (version, isVulnerable) => {
  const packages = {
    'node_modules/b/node_modules/a': { version },
    'node_modules/b': { version },
  };
  expect(vulnerable(packages, [ADVISORY])).toEqual(isVulnerable ? [`a@${version}: GHSA-1`] : []);
});

test('a package under another name counts by its name in the registry', () => {
  expect(vulnerable({ 'node_modules/alias': { name: 'a', version: '1.0.0' } }, [ADVISORY])).toEqual([
    'a@1.0.0: GHSA-1',
  ]);
});

test('each pinned advisory names its source and a package of the lockfile, and has ranges of versions', async () => {
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'));
  const { advisories } = (await read('scripts/supply-chain/advisories.json')) as { advisories: Advisory[] };
  const { packages } = (await read('package-lock.json')) as { packages: LockedPackages };
  const names = dependencies(packages).map(({ name }) => name);
  for (const { id, package: name, source, modified, affected } of advisories) {
    expect(id).toMatch(/^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/);
    expect(source).toBe(`https://github.com/advisories/${id}`);
    expect(modified).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(names).toContain(name);
    expect(affected.length).toBeGreaterThan(0);
    for (const version of affected.flat()) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  }
});
