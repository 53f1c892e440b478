import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The project's directory: two levels up, from this file as well as from the files of `dist/service`. */
const ROOT = new URL('../../', import.meta.url);

/**
 * Returns the path of a file of the project that is read or run by its path. `import.meta.url` alone differs in the
 * prebuilt service, whose modules share a few files.
 */
export const projectFile = (path: string): string => fileURLToPath(new URL(path, ROOT));

export const serviceVersion = (): string =>
  (JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string }).version;
