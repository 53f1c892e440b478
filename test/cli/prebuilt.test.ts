import { execFile, spawn } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endWithParent } from '../../src/runtime/embedded/end-with-parent.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { startCollector } from '../support/collector.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { testMongod } from '../support/mongo.ts';
import { endChild, sharedDataDir } from '../support/process.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 90_000;
const CONSOLE_PAGE = '<!doctype html><title>Built console</title>';

/** Prints the address of each module of the project that a process loads. */
const PRINT_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (!url.includes('/node_modules/') && url.startsWith('file:')) console.error('loaded ' + url);
      return next(url, context);
    },
  });`)}`;

/** Folders with the code of the service; its command line contains the client. */
const CODE = ['src', 'schema', 'scripts', 'packages/client/src'];

/** A copy of the project as it is after `npm ci`. */
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'engagement-project-'));
  for (const path of [...CODE, 'package.json', 'package-lock.json'])
    await cp(join(PROJECT, path), join(root, path), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
  await mkdir(join(root, 'dist/console/assets'), { recursive: true });
  await writeFile(join(root, 'dist/console/index.html'), CONSOLE_PAGE);
  await promisify(execFile)(process.execPath, ['scripts/build-service.ts'], { cwd: root });
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Starts the service as `npm start` does, without npm itself, which only waits. */
async function start(env: Record<string, string>) {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const dataDir = await sharedDataDir();
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('/bin/sh', ['-c', scripts.start], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      HOST: '127.0.0.1',
      PORT: port,
      DATA_DIR: dataDir.path,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${PRINT_MODULES}`,
      ...env,
    },
  });
  child.once('exit', endWithParent(child.pid ?? 0));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const get = (path: string) => fetch(url + path);
  await eventually(
    () =>
      get('/api/health').then(
        ({ status }) => status === 200,
        () => false,
      ),
    START_TIMEOUT_MS,
  );
  return {
    get,
    stderr: () => stderr,
    /** Paths of the project's modules that its processes have loaded. */
    modules: () =>
      stderr.match(/(?<=^loaded ).*/gm)?.map((module) => module.replace(pathToFileURL(`${root}/`).href, '')),
    async [Symbol.asyncDispose]() {
      await endChild(child, 'SIGTERM');
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

test('npm start runs the prebuilt service, with its workers, its sidecar and its files', async () => {
  const { path } = await testMongod();
  await using service = await start({ MONGOD_BINARY: path, WORKERS: '2' });
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await eventually(
    async () => (await (await service.get('/api/health')).json()).sidecar.status === 'up',
    60_000,
  );
  expect(await (await service.get('/api/health')).json()).toMatchObject({ status: 'ok', version });
  expect(await (await service.get('/console')).text()).toBe(CONSOLE_PAGE);
  for (const page of ['/graphql', '/api/v1/docs']) {
    const html = await (await service.get(page)).text();
    const script = /src="(\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    expect((await service.get(script)).status, script).toBe(200);
  }
  expect(service.modules()).toContain('dist/service/run.js');
  // What a process runs before it finds the prebuilt service, and the programs of threads.
  const fromSource = new Set(service.modules()?.filter((module) => module.startsWith('src/')));
  expect(
    [...fromSource].filter((module) => /^src\/(?:cli\/commands|features|http\/server)/.test(module)),
  ).toEqual([]);
});

test('the commands of the prebuilt service to the database are traced', async () => {
  const collector = await startCollector();
  try {
    await using service = await start({
      MONGODB_URI: freshDatabase(),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    });
    await service.get('/api/health');
    await eventually(() =>
      collector.spans().some(({ attributes }) => attributes['db.system.name'] === 'mongodb'),
    );
  } finally {
    await collector.stop();
  }
});

test('a stack trace of the prebuilt service names the lines of the source', async () => {
  const source = await readFile(join(root, 'src/cli/run.ts'), 'utf8');
  const line = source.split('\n').findIndex((text) => text.includes("argv.includes('--json')")) + 1;
  const program = `
    import { setSourceMapsSupport } from 'node:module';
    setSourceMapsSupport(true);
    const { run } = await import('./dist/service/run.js');
    await run(1).catch(({ stack }) => console.log(stack));
    process.exitCode = 0;`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
  });
  expect(stdout).toContain(`${join(root, 'src/cli/run.ts')}:${line}:`);
});

test('a stale build is not used', async () => {
  const changed = join(root, 'src/features/health/health.service.ts');
  const before = await readFile(changed);
  await appendFile(changed, '// Changed after the build.\n');
  await using service = await start({ MONGODB_URI: freshDatabase() });
  expect(service.stderr()).toContain('The source has changed since');
  expect(service.modules()).toContain('src/features/health/health.service.ts');
  expect(service.modules()?.filter((module) => module.startsWith('dist/service'))).toEqual([]);
  await writeFile(changed, before);
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [`--import=${PRINT_MODULES}`, 'src/cli/main.ts', '--version'],
    { cwd: root },
  );
  expect(stderr).toContain('dist/service/run.js');
});
