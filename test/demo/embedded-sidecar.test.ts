import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { list, processesWith } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { testMongod } from '../support/mongo.ts';
import { type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';

const STAGE = 'loaded by the operator';

let binary: string;
beforeAll(async () => {
  binary = (await testMongod()).path;
});

/** `npm start`: no database and no sidecar are configured. */
const start = (dataDir: string, env: Record<string, string> = {}): Promise<ServiceProcess> =>
  startProcess(dataDir, {
    mongodbUri: '',
    env: { MONGOD_BINARY: binary, DRIFT_CHECK_SCHEDULE: 'off', ...env },
  });

/** Runs a command in a second shell, which knows the data directory only. */
const command = async (dataDir: string, ...args: string[]) => {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], {
    DATA_DIR: dataDir,
    MONGOD_BINARY: binary,
  });
  return { code, output: stdout + stderr, body: JSON.parse(stdout) };
};

const load = async (dataDir: string) => {
  const file = join(dataDir, 'rows.csv');
  await writeFile(file, 'visits,prediction\n1,0.5\n2,0.4\n');
  return command(dataDir, 'sidecar', 'load', '--set', 'current', '--stage', STAGE, file);
};

const doctorOf = async (dataDir: string) => {
  const { body, output } = await command(dataDir, 'doctor');
  const findings: { check: string; level: string; message: string }[] = body.checks;
  return { sidecar: findings.find(({ check }) => check === 'sidecar'), output };
};

const sidecarFile = async (dataDir: string): Promise<{ url: string; token: string }> =>
  JSON.parse(await readFile(join(dataDir, 'sidecar.json'), 'utf8'));

const sidecarStatus = async ({ url }: ServiceProcess): Promise<string> =>
  ((await (await fetch(`${url}/api/health`)).json()) as { sidecar: { status: string } }).sidecar.status;

/** Features of the samples of all stages, from a check through the service. */
async function featuresOf({ url }: ServiceProcess, dataDir: string): Promise<string[]> {
  const env = await readFile(join(dataDir, 'demo.env'), 'utf8');
  const authorization = `Bearer ${/^ADMIN_KEY=(.*)$/m.exec(env)?.[1]}`;
  const json = { authorization, 'content-type': 'application/json' };
  await fetch(`${url}/api/drift.triggerCheck`, { method: 'POST', headers: json, body: '{}' });
  const status = await fetch(`${url}/api/drift.getStatus`, { headers: { authorization } });
  const { featureDrifts } = (await status.json()) as { featureDrifts?: { feature: string }[] };
  return featureDrifts?.map(({ feature }) => feature) ?? [];
}

test('commands find the sidecar of the running service, which restarts it at the same address when it dies', async () => {
  await using dataDir = await sharedDataDir();
  const service = await start(dataDir.path);
  await eventually(async () => (await sidecarStatus(service)) === 'up', 20_000);
  const file = await sidecarFile(dataDir.path);
  expect((await stat(join(dataDir.path, 'sidecar.json'))).mode & 0o777).toBe(0o600);
  expect((await fetch(`${file.url}/drift/status`)).status).toBe(401);

  const loaded = await load(dataDir.path);
  expect(loaded).toMatchObject({ code: 0, body: { url: file.url, loaded: 2 } });
  const doctor = await doctorOf(dataDir.path);
  expect(doctor.sidecar).toMatchObject({ level: 'ok', message: expect.stringMatching(/^up, /) });
  for (const { output } of [loaded, doctor]) expect(output).not.toContain(file.token);
  const before = await eventually(async () => {
    const features = await featuresOf(service, dataDir.path);
    return features.includes('visits') ? features : null;
  });

  const port = new URL(file.url).port;
  for (const _death of ['first', 'second']) {
    const pid = processesWith(`sidecar --port ${port}`)[0] ?? expect.fail('The sidecar does not run.');
    // Stopped first: a killed one can run again before its health is requested.
    process.kill(pid, 'SIGSTOP');
    await eventually(async () => (await sidecarStatus(service)) === 'down');
    process.kill(pid, 'SIGKILL');
    await eventually(() => {
      const [next] = processesWith(`sidecar --port ${port}`);
      return next !== undefined && next !== pid;
    });
    await eventually(async () => (await sidecarStatus(service)) === 'up');
    expect(await sidecarFile(dataDir.path)).toEqual(file);
    expect(
      await eventually(async () => {
        const features = await featuresOf(service, dataDir.path);
        return features.length > 0 ? features : null;
      }, 60_000),
    ).toEqual(before);
  }

  // Killed: the file stays, but commands recognize that it is stale.
  await service.end('SIGKILL');
  expect(await list(dataDir.path)).toContain('sidecar.json');
  await eventually(() => processesWith(`sidecar --port ${port}`).length === 0, 15_000);
  const refused = await load(dataDir.path);
  expect(refused.code).toBe(1);
  expect(refused.body.error.message).not.toContain(file.url);
  expect((await doctorOf(dataDir.path)).sidecar).toMatchObject({
    level: 'ok',
    message: expect.stringContaining('not running'),
  });

  // A set token replaces the generated one; an orderly stop removes the file.
  const next = await start(dataDir.path, { ML_SIDECAR_TOKEN: 'token-of-the-operator' });
  await eventually(async () => (await sidecarStatus(next)) === 'up', 20_000);
  expect((await sidecarFile(dataDir.path)).token).toBe('token-of-the-operator');
  expect(await load(dataDir.path)).toMatchObject({ code: 0 });
  expect(await next.end('SIGINT')).toBe(0);
  expect(await list(dataDir.path)).not.toContain('sidecar.json');
}, 240_000);
