import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSidecar } from '../../src/cli/doctor/machine-checks.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Json, startApp } from '../support/app.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { temporaryDir } from '../support/embedded.ts';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

const TOKEN = 'sidecar-token-of-this-test';
const WRONG = 'another-token';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar({ token: TOKEN });
  await sidecar.add('current', null, someRows(50, 1));
});
afterAll(() => sidecar.stop());

const PATHS = [
  ['GET', '/drift/status'],
  ['GET', '/drift/history'],
  ['POST', '/drift/check'],
  ['POST', '/samples'],
  ['DELETE', '/samples?set=current'],
  ['GET', '/nope'],
  ['PUT', '/drift/status'],
  ['GET', '//health'],
  ['GET', '/health/'],
];

describe('with ML_SIDECAR_TOKEN', () => {
  describe.each(PATHS)('%s %s', (method, path) => {
    test.each([
      ['no token', undefined],
      ['another token', `Bearer ${WRONG}`],
      ['a longer token', `Bearer ${TOKEN}x`],
      ['a prefix of the token', `Bearer ${TOKEN.slice(0, -1)}`],
      ['another scheme', `Basic ${TOKEN}`],
      ['the token alone', TOKEN],
    ])('is a 401 with %s', async (_case, authorization) => {
      const response = await fetch(sidecar.url + path, {
        method,
        headers: authorization ? { authorization } : {},
      });
      expect(response.status).toBe(401);
      const { error } = (await response.json()) as Json;
      expect(error).toEqual({
        code: 'UNAUTHENTICATED',
        message: 'A valid sidecar token is required: Authorization: Bearer <ML_SIDECAR_TOKEN>.',
      });
    });
  });

  test('GET /health needs no token', async () => {
    expect((await fetch(`${sidecar.url}/health`)).status).toBe(200);
  });

  test('the samples are still there, and the token gives access', async () => {
    const { status, body } = await sidecar.request<{ featureDrifts: object[] }>('GET', '/drift/status');
    expect([status, body.featureDrifts.length]).toEqual([200, 4]);
  });
});

describe('the service', () => {
  test.each([
    ['uses the sidecar with its token', { ML_SIDECAR_TOKEN: TOKEN }, 200],
    ['has no access with another token', { ML_SIDECAR_TOKEN: WRONG }, 503],
    ['has no access without a token', {}, 503],
  ])('%s', async (_case, token: Record<string, string>, status) => {
    const app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off', ...token });
    try {
      const answer = await app.request('GET', '/api/drift.getStatus', { key: app.admin });
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).not.toContain(TOKEN);
    } finally {
      await app.stop();
    }
  });
});

describe('the command line', () => {
  test('sidecar load sends the token and never prints it', async () => {
    await using dir = await temporaryDir();
    const file = join(dir.path, 'rows.csv');
    await writeFile(file, 'visits,prediction\n1,0.5\n');
    const load = (token: string) =>
      runCommand(['sidecar', 'load', '--set', 'current', '--json', file], {
        ML_SIDECAR_URL: sidecar.url,
        ML_SIDECAR_TOKEN: token,
        LOG_LEVEL: 'trace',
      });
    const loaded = await load(TOKEN);
    expect(loaded.code).toBe(0);
    expect(JSON.parse(loaded.stdout)).toMatchObject({ loaded: 1, rejected: 0 });
    expect(loaded.stdout + loaded.stderr).not.toContain(TOKEN);

    const refused = await load(WRONG);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).error.message).toContain('HTTP 401');
    expect(refused.stdout + refused.stderr).not.toContain(WRONG);
  });

  test('sidecar warns if it listens on the network without a token', async () => {
    const run = async (env: Record<string, string>) => {
      const command = startCommand(['sidecar', '--host', '0.0.0.0', '--port', '0', '--json'], {
        MONGODB_URI: freshDatabase(),
        ...env,
      });
      await command.printed(/"url"/);
      const { stdout, stderr } = await command.interrupt();
      return { url: JSON.parse(stdout).url as string, stderr, stdout };
    };
    expect((await run({})).stderr).toContain('ML_SIDECAR_TOKEN is not set');
    const safe = await run({ ML_SIDECAR_TOKEN: TOKEN, LOG_LEVEL: 'trace' });
    expect(safe.stderr).not.toContain('ML_SIDECAR_TOKEN');
    expect(safe.stdout + safe.stderr).not.toContain(TOKEN);
  });

  test('doctor finds a token that the sidecar rejects', async () => {
    const check = (token: Record<string, string>) =>
      checkSidecar(loadConfig({ ML_SIDECAR_URL: sidecar.url, ...token }));
    expect(await check({ ML_SIDECAR_TOKEN: TOKEN })).toMatchObject({ level: 'ok' });
    const action = expect.stringContaining('Set ML_SIDECAR_TOKEN');
    const wrong = await check({ ML_SIDECAR_TOKEN: WRONG });
    expect(wrong).toMatchObject({
      level: 'fail',
      message: 'is up, but rejects the token (HTTP 401)',
      action,
    });
    expect(await check({})).toMatchObject({
      level: 'fail',
      message: 'is up, but rejects requests without a token (HTTP 401)',
      action,
    });
  });
});
