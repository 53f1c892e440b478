import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Advisory, type LockedPackages, unpinned, vulnerable } from './supply-chain/lockfile.ts';

/**
 * Checks, without network: every dependency comes from the registry and is pinned by SHA-512, none has a vulnerability of
 * `advisories.json`, and the installed Node.js is the binary that `node-binaries.json` records (docs/security.md).
 */
const ROOT = join(import.meta.dirname, '..');

const readJson = async <T>(file: string): Promise<T> =>
  JSON.parse(await readFile(join(ROOT, file), 'utf8')) as T;

interface NodeBinary {
  version: string;
  file: string;
  sha256: string;
}

const { packages } = await readJson<{ packages: LockedPackages }>('package-lock.json');
const { advisories } = await readJson<{ advisories: Advisory[] }>('scripts/supply-chain/advisories.json');
const { binaries } = await readJson<{ binaries: Record<string, NodeBinary> }>(
  'scripts/supply-chain/node-binaries.json',
);

const problems = [...unpinned(packages), ...vulnerable(packages, advisories)];
const { optionalDependencies } = await readJson<{ optionalDependencies: Record<string, string> }>(
  'package.json',
);
for (const name of Object.keys(optionalDependencies)) {
  const binary = binaries[name];
  const { version } = packages[`node_modules/${name}`] ?? {};
  if (binary?.version !== version) {
    problems.push(`${name}@${version}: its binary is not recorded in node-binaries.json`);
    continue;
  }
  // Only the package of this platform is installed.
  const content = await readFile(join(ROOT, 'node_modules', name, binary?.file ?? '')).catch(() => null);
  if (content && hash('sha256', content) !== binary?.sha256)
    problems.push(`${name}@${version}: its binary is not the recorded one`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('Update the dependency, or follow docs/security.md, "Supply chain".');
  process.exitCode = 1;
} else {
  console.log(`Supply chain: ${Object.keys(packages).length} locked packages checked`);
}
