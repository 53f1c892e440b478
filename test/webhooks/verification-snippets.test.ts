import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERIFICATION_SNIPPETS } from '../../src/shared/verification-snippets.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Received, Receiver } from '../support/receiver.ts';
import { listening, postConversion } from './support.ts';

const run = promisify(execFile);
let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  folder = await mkdtemp(join(tmpdir(), 'engagement-snippets-'));
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Delivers an event, and returns the request that the receiver got. */
async function deliver(): Promise<{ receiver: Receiver; secret: string; request: Received }> {
  const { tenant, endpoint, receiver } = await listening(app);
  // The signature covers bytes: characters of more than one byte are part of the test.
  await postConversion(app, tenant, { goal: 'démo_✓' });
  const [request] = await receiver.waitFor(1);
  if (!request) throw new Error('The receiver got no request.');
  return { receiver, secret: endpoint.secret, request };
}

const codeIn = (language: string): string =>
  VERIFICATION_SNIPPETS.find((snippet) => snippet.language === language)?.code ?? '';

const PROGRAMS = {
  js: {
    file: 'verify.mjs',
    call: `
const [secret, header, body] = process.argv.slice(2);
console.log(isFromService(secret, header, Buffer.from(body)));`,
    command: process.execPath,
  },
  python: {
    file: 'verify.py',
    call: `
import sys
print(str(is_from_service(sys.argv[1], sys.argv[2], sys.argv[3].encode())).lower())`,
    command: 'python3',
  },
};

test.each(['js', 'python'] as const)(
  'the snippet in %s accepts a delivery and rejects forgeries',
  async (language) => {
    const { secret, request } = await deliver();
    const { file, call, command } = PROGRAMS[language];
    await writeFile(join(folder, file), codeIn(language) + call);
    const verify = async (...args: string[]) =>
      (await run(command, [join(folder, file), ...args])).stdout.trim();
    const header = String(request.headers['x-svc-signature']);
    const old = header.replace(/\d+/, (t) => String(Number(t) - 301));
    expect(
      await Promise.all([
        verify(secret, header, request.body),
        verify(secret, header, `${request.body} `),
        verify(`${secret}x`, header, request.body),
        verify(secret, old, request.body),
        verify(secret, '', request.body),
      ]),
    ).toEqual(['true', 'false', 'false', 'false', 'false']);
  },
);

test('the shell snippet verifies a delivery, and sends it to the receiver again', async () => {
  const { receiver, secret, request } = await deliver();
  const verify = async (body: string, key = secret): Promise<string> => {
    await writeFile(join(folder, 'body.json'), body);
    const env = {
      PATH: process.env.PATH,
      SECRET: key,
      SIGNATURE: String(request.headers['x-svc-signature']),
      RECEIVER_URL: receiver.url,
    };
    return (await run('sh', ['-c', codeIn('sh')], { cwd: folder, env })).stdout.split('\n')[0] ?? '';
  };
  expect(await verify(request.body)).toBe('valid');
  const [, again] = await receiver.waitFor(2);
  expect(again?.body).toBe(request.body);
  expect(again && receiver.verifies(again, secret)).toBe(true);
  expect(await verify(`${request.body} `)).toBe('INVALID');
  expect(await verify(request.body, `${secret}x`)).toBe('INVALID');
});
