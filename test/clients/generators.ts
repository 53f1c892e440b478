import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startDemo } from '../support/demo.ts';
import { requireCommands, run } from './commands.ts';
import { javaClassPath, manifest, npmTools, openapiGenerator, pythonTools, WORK } from './toolchains.ts';

const PRINTED = resolve(import.meta.dirname, '../../schema/printed');
export const PROGRAMS = join(import.meta.dirname, 'programs');

export const DOCUMENTS = ['v1', 'preview', 'rpc'] as const;
type Document = (typeof DOCUMENTS)[number];

export const ASYNCAPI_DOCUMENT = join(PRINTED, 'asyncapi.json');
export const printedDocument = (name: Document): string => join(PRINTED, `openapi.${name}.json`);

/** Below the installed packages of npm, so that generated code resolves its imports. */
const outputOf = (generator: string): string => join(WORK, 'npm/generated', generator);

/** Runs `work` for each document in turn. */
async function forEachDocument(work: (name: Document) => Promise<unknown>): Promise<void> {
  for (const name of DOCUMENTS) await work(name);
}

/** Address and key of the service on which the programs run. */
let liveEnvironment: Record<string, string> = {};

/** Starts a service with demo data; before the checks, since they leave it little of the processor. */
export async function startLiveService(): Promise<AsyncDisposable> {
  const demo = await startDemo();
  const { url, customerId, keys } = demo;
  liveEnvironment = { BASE_URL: url, CUSTOMER_ID: String(customerId), WRITE_KEY: keys.write };
  return demo;
}

/** Type-checks a generated TypeScript client and a program that uses it, then runs the program. */
async function runTypeScript(generator: string, modules: string[]): Promise<void> {
  const directory = outputOf(generator);
  const program = join(directory, 'program.ts');
  await cp(join(PROGRAMS, `${generator}.ts`), program);
  const options =
    '--strict --skipLibCheck --esModuleInterop --target es2023 --module commonjs --moduleResolution node10';
  await writeFile(join(directory, 'package.json'), '{ "type": "commonjs" }');
  const files = [program, ...modules.map((name) => join(directory, name))];
  const compiled = join(directory, 'compiled');
  await run(join(await npmTools(), 'tsc'), [...options.split(' '), '--outDir', compiled, ...files]);
  await run(process.execPath, [join(compiled, 'program.js')], { env: liveEnvironment });
}

/** Type-checks generated Python packages and a program that uses them, then runs the program. */
async function runPython(generator: string, directory: string): Promise<void> {
  const bin = await pythonTools();
  const program = join(directory, 'program.py');
  await cp(join(PROGRAMS, `${generator}.py`), program);
  const packages = DOCUMENTS.flatMap((name) => ['--package', `client_${name}`]);
  await run(join(bin, 'python'), ['-m', 'compileall', '-q', directory]);
  await run(join(bin, 'mypy'), packages, { cwd: directory });
  await run(join(bin, 'python'), [program], { cwd: directory, env: liveEnvironment });
}

export async function openapiTypescript(): Promise<void> {
  const bin = await npmTools();
  const directory = outputOf('openapi-typescript');
  await forEachDocument((name) =>
    run(join(bin, 'openapi-typescript'), [
      printedDocument(name),
      '--output',
      join(directory, `${name}.d.ts`),
    ]),
  );
  await runTypeScript('openapi-typescript', ['rpc.d.ts']);
}

export async function heyApi(): Promise<void> {
  const bin = await npmTools();
  const directory = outputOf('hey-api');
  await forEachDocument((name) =>
    run(join(bin, 'openapi-ts'), ['--input', printedDocument(name), '--output', join(directory, name)], {
      cwd: join(WORK, 'npm'),
    }),
  );
  await runTypeScript('hey-api', ['rpc/index.ts', 'rpc/sdk.gen.ts']);
}

export async function openapiPythonClient(): Promise<void> {
  const bin = await pythonTools();
  const directory = join(WORK, 'openapi-python-client');
  await mkdir(directory, { recursive: true });
  await forEachDocument((name) =>
    run(join(bin, 'openapi-python-client'), [
      ...['generate', '--overwrite', '--fail-on-warning', '--meta', 'none'],
      ...['--config', manifest('openapi-python-client.yaml'), '--path', printedDocument(name)],
      ...['--output-path', join(directory, `client_${name}`)],
    ]),
  );
  await runPython('openapi_python_client', directory);
}

const TARGETS = ['typescript-fetch', 'python', 'java', 'go'] as const;
type Target = (typeof TARGETS)[number];

const targetDirectory = (target: Target): string =>
  target === 'typescript-fetch' ? outputOf(target) : join(WORK, 'openapi-generator', target);

/** Generates all clients of openapi-generator in one process; called by the check of each of them. */
let generated: Promise<void> | undefined;
function generateAll(): Promise<void> {
  generated ??= (async () => {
    const jar = await openapiGenerator();
    // Deletes the packages when it installs them, and the clients are below them.
    await npmTools();
    const configurations = join(WORK, 'openapi-generator/configurations');
    await mkdir(configurations, { recursive: true });
    for (const target of TARGETS) {
      for (const name of DOCUMENTS) {
        const outputDir = join(targetDirectory(target), target === 'python' ? '' : name);
        const configuration = {
          generatorName: target,
          inputSpec: printedDocument(name),
          outputDir,
          // The Python clients are packages beside each other.
          additionalProperties: target === 'python' ? { packageName: `client_${name}` } : {},
        };
        await writeFile(join(configurations, `${target}-${name}.json`), JSON.stringify(configuration));
      }
    }
    const files = (await readdir(configurations)).map((name) => join(configurations, name));
    await run('java', ['-jar', jar, 'batch', '--threads', '2', ...files]);
  })();
  return generated;
}

export async function typescriptFetch(): Promise<void> {
  await generateAll();
  await runTypeScript('typescript-fetch', ['rpc/index.ts']);
}

export async function openapiGeneratorPython(): Promise<void> {
  await generateAll();
  await runPython('openapi_generator', targetDirectory('python'));
}

export async function java(): Promise<void> {
  await requireCommands('javac');
  await generateAll();
  const directory = targetDirectory('java');
  const classPath = await javaClassPath(join(directory, 'v1'));
  await forEachDocument(async (name) => {
    const sources = join(directory, name, 'src/main/java');
    const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('.java'));
    // The generator writes UTF-8, whatever the locale of this machine is.
    const options = ['-encoding', 'UTF-8', '-proc:none', '-nowarn', '-cp', classPath];
    await run('javac', [...options, '-d', join(directory, name, 'classes'), ...files], { cwd: sources });
  });
}

export async function go(): Promise<void> {
  await requireCommands('go');
  await generateAll();
  await forEachDocument((name) =>
    run('go', ['build', './...'], { cwd: join(targetDirectory('go'), name), env: { GOFLAGS: '-mod=mod' } }),
  );
}

/** Verifies deliveries of the running service with the libraries that receivers in Python use. */
export async function pythonVerifiers(): Promise<void> {
  const program = join(PROGRAMS, 'webhook_signatures.py');
  await run(join(await pythonTools(), 'python'), [program], { env: liveEnvironment });
}
