import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Lists the dependencies that have install scripts, and fails if `allowScripts` in package.json does not decide on
 * exactly these. `strict-allow-scripts` in .npmrc makes npm refuse an undecided one; versions of npm that do not know
 * the setting would run it.
 */
const ROOT = join(import.meta.dirname, '..');

const readJson = async <T>(file: string): Promise<T> =>
  JSON.parse(await readFile(join(ROOT, file), 'utf8')) as T;

const { packages } = await readJson<{ packages: Record<string, { hasInstallScript?: boolean }> }>(
  'package-lock.json',
);
const { allowScripts } = await readJson<{ allowScripts: Record<string, boolean> }>('package.json');

const withScripts = new Set(
  Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && path !== '' ? [path.slice(path.lastIndexOf('node_modules/') + 13)] : [],
  ),
);

const lines: string[] = [];
for (const name of [...withScripts].sort()) {
  const allowed = allowScripts[name];
  if (allowed === undefined) process.exitCode = 1;
  lines.push(`  ${name}: ${allowed === undefined ? 'UNDECIDED' : allowed ? 'allowed' : 'denied'}`);
}
for (const name of Object.keys(allowScripts).filter((name) => !withScripts.has(name))) {
  process.exitCode = 1;
  lines.push(`  ${name}: has no install script; remove it from allowScripts`);
}
console.log(['Dependencies with install scripts:', ...lines].join('\n'));
if (process.exitCode)
  console.error('Review the install scripts and decide on them in allowScripts (package.json).');
