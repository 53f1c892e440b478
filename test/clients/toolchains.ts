import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { requireCommands, run } from './commands.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MANIFESTS = join(import.meta.dirname, 'tools');

/** Tools and generated clients; the tools are kept for the next run. */
export const WORK = join(ROOT, '.data/clients');

const OPENAPI_GENERATOR = '7.25.0';
const MAVEN_DEPENDENCY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

export const manifest = (name: string): string => join(MANIFESTS, name);

/** Runs `work` at the first call only; later ones share its result. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** Installs into `directory` unless it holds an installation of the same manifest. */
async function install(directory: string, source: string, work: () => Promise<unknown>): Promise<void> {
  const stamp = join(directory, 'installed');
  const version = createHash('sha256')
    .update(await readFile(source))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === version) return;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await work();
  await writeFile(stamp, version);
}

/** Installs the tools of npm. @returns the directory of their commands */
export const npmTools = once(async () => {
  const directory = join(WORK, 'npm');
  await install(directory, manifest('package-lock.json'), async () => {
    for (const file of ['package.json', 'package-lock.json']) await cp(manifest(file), join(directory, file));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
  });
  return join(directory, 'node_modules/.bin');
});

/** Installs the tools of PyPI. @returns the directory of their commands */
export const pythonTools = once(async () => {
  await requireCommands('python3');
  const directory = join(WORK, 'python');
  const bin = join(directory, 'bin');
  await install(directory, manifest('requirements.txt'), async () => {
    await run('python3', ['-m', 'venv', directory]);
    await run(join(bin, 'pip'), ['install', '--quiet', '--requirement', manifest('requirements.txt')]);
  });
  return bin;
});

/** Fetches openapi-generator. @returns the path of its JAR */
export const openapiGenerator = once(async () => {
  await requireCommands('java', 'mvn');
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
  const directory = join(WORK, 'java');
  await run('mvn', [
    ...['-q', '-B', `${MAVEN_DEPENDENCY}:copy`],
    ...[`-Dartifact=${artifact}`, `-DoutputDirectory=${directory}`],
  ]);
  return join(directory, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
});

/** Returns the class path of a generated Maven project, whose dependencies it fetches. */
export async function javaClassPath(project: string): Promise<string> {
  const file = join(project, 'classpath.txt');
  await run(
    'mvn',
    [
      '-q',
      '-B',
      `${MAVEN_DEPENDENCY}:build-classpath`,
      '-DincludeScope=compile',
      `-Dmdep.outputFile=${file}`,
    ],
    { cwd: project },
  );
  return readFile(file, 'utf8');
}
