import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Locked {
  resolved?: string;
  integrity?: string;
  engines?: { node?: string };
}

/** Returns the lower bounds of a range such as `^22.15.0 || >=24`, one for each alternative. */
const lowerBounds = (range: string): [major: number, minor: number, caret: boolean][] =>
  range.split('||').map((part) => {
    const [, operator = '', major = '0', minor = '0'] = /([\^~>=]*)\s*v?(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    return [Number(major), Number(minor), operator === '^' || operator === '~'];
  });

test('the oldest Node.js that the README names is that of package.json, and every package accepts it', () => {
  const [, major, minor] = /Requires Node\.js (\d+)\.(\d+) or newer/.exec(read('README.md')) ?? [];
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${major}.${minor}`);

  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const refusing = Object.entries(packages).filter(
    ([, locked]) =>
      !lowerBounds(locked.engines?.node ?? '>=0').some(([min, minMinor, isCaret]) =>
        min === Number(major) ? minMinor <= Number(minor) : min < Number(major) && !isCaret,
      ),
  );
  expect(refusing.map(([path]) => path)).toEqual([]);
});

test('the lockfile names the address of every package, without which npm asks the registry for each', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const downloaded = Object.values(packages).filter(({ integrity }) => integrity !== undefined);
  expect(downloaded.length).toBeGreaterThan(500);
  for (const { resolved } of downloaded) expect(resolved).toMatch(/^https:\/\/registry\.npmjs\.org\/.*\.tgz$/);
});
