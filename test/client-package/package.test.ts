import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { startProxy } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');

const execute = promisify(execFile);

/** Runs a command; its output is part of the error if it fails. */
async function run(command: string, args: string[], cwd: string, env = {}): Promise<string> {
  const { stdout } = await execute(command, args, { cwd, env: { ...process.env, ...env } }).catch(
    (error: { message: string; stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
  return stdout;
}

/** Project of a customer, in which the packed client is installed. */
let project: string;
let tarball: string;
let files: string[];
let app: TestApp;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'engagement-client-'));
  const packed = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', project], PACKAGE));
  const [{ filename, files: entries }] = packed as [{ filename: string; files: { path: string }[] }];
  tarball = filename;
  files = entries.map(({ path }) => path);
  await writeFile(join(project, 'package.json'), '{"name":"customer","private":true,"type":"module"}');
  // Without a network: the client has no dependencies.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(project, filename)], project);
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await rm(project, { recursive: true, force: true });
});

const environment = (tenant: TestTenant) => ({
  BASE_URL: app.url,
  API_KEY: tenant.write,
  WRITE_KEY: tenant.write,
  CUSTOMER_ID: String(tenant.customerId),
});

/** Code blocks of a README in a language. */
async function blocks(readme: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, readme), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}

test('its README installs the tarball by its name', async () => {
  expect(await blocks('packages/client/README.md', 'sh')).toContain(`npm install ./${tarball}\n`);
});

test('the package contains its build and its documentation, and has no dependencies', async () => {
  expect(files.filter((path) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(path)).sort()).toEqual([
    'README.md',
    'package.json',
  ]);
  const installed = await readFile(join(project, 'node_modules/@engagement/client/package.json'), 'utf8');
  expect(JSON.parse(installed)).not.toHaveProperty('dependencies');
});

describe('installed from its tarball', () => {
  test('a plain script uses it against the service, over a proxy that loses a response', async () => {
    const tenant = await app.newTenant();
    const proxy = await startProxy(app.url, ['cut']);
    await cp(join(import.meta.dirname, 'consumer-program.mjs'), join(project, 'program.mjs'));
    const env = { ...environment(tenant), FLAKY_URL: proxy.url };
    const results = JSON.parse(await run(process.execPath, ['program.mjs'], project, env));

    const hooks = expect.stringMatching(/\/hooks$/);
    const placeholders = [3, 2, 1].map((number) => `http://127.0.0.1:9/${number}`);
    expect(results.endpoints).toEqual([...placeholders, hooks]);
    expect(results.pages).toEqual([3, 1]);
    expect(proxy.requests).toHaveLength(2);
    const { conversions } = await recordedEvents(app.models, { visitorId: 'v_flaky' });
    expect(conversions.map(({ payload }) => JSON.parse(payload).data.conversionEventId)).toEqual([
      results.event,
    ]);
    const webhook = {
      event: 'conversion.recorded',
      data: { customerId: tenant.customerId, conversionEventId: results.event, value: 250 },
      attemptedAt: expect.any(String),
    };
    expect(results.webhook).toMatchObject({ ...webhook, id: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(results.webhookBySvc).toMatchObject({ ...webhook, id: null });
    expect(results.forged).toBe('signature_mismatch');
    expect(results.errors).toEqual([
      { code: 'NOT_FOUND', status: 404 },
      { code: 'VALIDATION_FAILED', status: 422 },
      { code: 'UNAUTHENTICATED', status: 401 },
    ]);
  });

  test('the program of its README runs and receives what it recorded', async () => {
    const [program = ''] = await blocks('packages/client/README.md', 'js');
    const port = String(await freePort());
    await writeFile(join(project, 'readme.js'), program.replaceAll('9100', port));
    const output = await run(process.execPath, ['readme.js'], project, environment(await app.newTenant()));
    const recorded = /^recorded ([0-9a-f]{24})$/m.exec(output)?.[1];
    expect(output).toContain(`conversionEventId: '${recorded}'`);
    expect(output).toMatch(/^endpoint \d+ http/m);
  });
});

/** Statements that must compile or fail as marked: what the types promise. */
const ASSERTIONS = `
import { ApiError, EngagementClient, verifyWebhook, type WebhookDelivery, type WebhookEndpoint } from '@engagement/client';
declare const client: EngagementClient;
const endpoint: WebhookEndpoint = await client.webhookEndpoints.get(1);
const url: string = endpoint.url;
await client.health({ signal: undefined });
const description: string | null = endpoint.description;
const deliveries: WebhookDelivery[] = [];
for await (const delivery of client.webhookDeliveries.list(1, { status: 'failed' })) deliveries.push(delivery);
const event = await verifyWebhook({ payload: '', headers: {}, secret: 'whsec_' });
if (event.event === 'conversation.ended') {
  const status: 'ended' | 'converted' | 'closed' = event.data.status;
  // @ts-expect-error the data of another event
  event.data.conversionType;
}
// @ts-expect-error not the name of an event
event.event === 'conversation.began';
// @ts-expect-error url is required
client.webhookEndpoints.create({ description: 'no url' });
// @ts-expect-error not a status
client.webhookDeliveries.list(1, { status: 'lost' });
// @ts-expect-error the client sets the cursor
client.webhookEndpoints.list({ cursor: 'x' });
// @ts-expect-error an endpoint has a number
client.webhookEndpoints.get('1');
// @ts-expect-error not a code
((error: ApiError) => error.code === 'TEAPOT');
export { url, description };
`;

/** Names that an example without imports uses. */
const PRELUDE = `
import { ApiError, EngagementClient, verifyWebhook, WebhookVerificationError } from '@engagement/client';
declare const client: EngagementClient;
declare const secret: string;
export { ApiError, client, secret, verifyWebhook, WebhookVerificationError };
`;

describe('its declarations compile', () => {
  const base = { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: false };
  const dom = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
  const types = join(ROOT, 'node_modules/@types');

  test.each([
    ['TypeScript 5', 'packages/client/node_modules/typescript/bin/tsc', dom],
    [
      'TypeScript 5, for a bundler',
      'packages/client/node_modules/typescript/bin/tsc',
      { ...dom, module: 'esnext', moduleResolution: 'bundler' },
    ],
    [
      'TypeScript 5 and its resolution before "exports"',
      'packages/client/node_modules/typescript/bin/tsc',
      { ...dom, module: 'esnext', moduleResolution: 'node10' },
    ],
    [
      'TypeScript 7 and exact optional properties',
      'node_modules/typescript/bin/tsc',
      { ...dom, exactOptionalPropertyTypes: true },
    ],
    [
      'TypeScript 7, with the types of Node.js instead of browsers',
      'node_modules/typescript/bin/tsc',
      { lib: ['esnext'], types: ['node'], typeRoots: [types], skipLibCheck: true },
    ],
  ])('with %s', async (_, compiler, options) => {
    const examples = [
      ...(await blocks('README.md', 'ts')),
      ...(await blocks('packages/client/README.md', 'ts')),
    ];
    expect(examples.length).toBeGreaterThan(6);
    const names = [ASSERTIONS, ...examples].map((_, index) => `example-${index}.ts`);
    for (const [index, code] of [ASSERTIONS, ...examples].entries())
      await writeFile(join(project, `example-${index}.ts`), code.includes('import ') ? code : PRELUDE + code);
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...base, ...options }, files: names }),
    );
    await run(process.execPath, [join(ROOT, compiler), '-p', '.'], project);
  });
});
