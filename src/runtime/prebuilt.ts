import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { projectFile } from '../platform/project-files.ts';

/** Directory of the service in few files, which `scripts/build-service.ts` writes. */
export const PREBUILT_DIR = 'dist/service';
/** Its module that exports what `src/cli/run.ts` exports. */
export const PREBUILT_ENTRY = 'run.js';
/** The file with its `BuildInputs`, written last. */
export const INPUTS_FILE = 'inputs.json';

/** What the prebuilt service was made from. */
export interface BuildInputs {
  /** Paths of files of the project. */
  files: string[];
  digest: string;
}

/** Returns a digest of the contents of files. */
export function digestOf(files: readonly string[]): string {
  const digest = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(projectFile(file));
    digest.update(`${file}:${content.length}\n`).update(content);
  }
  return digest.digest('hex');
}

/** Returns true if each file is as it was at the build. Times do not count: a copy of the project has others. */
function isCurrent({ files, digest }: BuildInputs): boolean {
  try {
    return digestOf(files) === digest;
  } catch {
    return false; // a file was removed
  }
}

/** Returns the URL of the prebuilt service, `stale` if the source has changed since, or null if it was not built. */
export function findPrebuilt(): URL | 'stale' | null {
  let inputs: BuildInputs;
  try {
    inputs = JSON.parse(readFileSync(projectFile(`${PREBUILT_DIR}/${INPUTS_FILE}`), 'utf8'));
  } catch {
    return null;
  }
  return isCurrent(inputs) ? pathToFileURL(projectFile(`${PREBUILT_DIR}/${PREBUILT_ENTRY}`)) : 'stale';
}
