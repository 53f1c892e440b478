import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkConformance } from '../../src/cli/sidecar-check/check-conformance.ts';
import type { RequirementResult } from '../../src/cli/sidecar-check/requirement.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type Body, type SidecarFault, startFaultySidecar } from '../support/faulty-sidecar.ts';
import { DRIFT_FAULTS } from './conformance-drift-faults.ts';
import { SAMPLE_FAULTS } from './conformance-sample-faults.ts';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

const TOKEN = 'token-of-the-model';
/** Long enough for a busy machine: only one test is about the response time. */
const TIMEOUT_MS = 30_000;

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar({ token: TOKEN });
  for (const set of ['reference', 'current'] as const) {
    await sidecar.add(set, 'lead', someRows(200, 1));
    await sidecar.add(set, null, someRows(100, 2));
  }
  await sidecar.check();
});
afterAll(() => sidecar.stop());

const stagesOf = async (): Promise<string[]> =>
  (await sidecar.request<{ stage: string }[]>('GET', '/drift/stages')).body.map(({ stage }) => stage);

/** Samples that a fault has kept a run from removing. */
afterEach(async () => {
  for (const stage of await stagesOf())
    if (stage !== 'lead')
      for (const set of ['reference', 'current'])
        await sidecar.request('DELETE', `/samples?set=${set}&stage=${stage}`);
});

const withOutcome = (results: readonly RequirementResult[], outcome: string) =>
  results.filter((result) => result.outcome === outcome).map(({ requirement }) => requirement);

async function checkFaulty(fault: SidecarFault, timeoutMs = TIMEOUT_MS): Promise<RequirementResult[]> {
  await using fake = await startFaultySidecar(sidecar.url, fault);
  return await checkConformance({ sidecar: { url: fake.url, token: TOKEN }, timeoutMs });
}

describe('a sidecar that breaks one rule', () => {
  test.each([...SAMPLE_FAULTS, ...DRIFT_FAULTS])(
    'fails on that line only: $requirement $problem',
    async ({ requirement, reason, fault }) => {
      const results = await checkFaulty(fault());
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([
        { requirement, outcome: 'failed', reason: expect.stringContaining(reason) },
      ]);
    },
  );

  test('fails on the response time only if it is slow', async () => {
    const results = await checkFaulty({ delayMs: 60 }, 50);
    expect(withOutcome(results, 'failed')).toEqual(['response time']);
    expect(results.at(-1)?.reason).toMatch(/^(GET|POST) \/.* returned after \d+ ms; the service waits 50 ms/);
  });

  test('receives no removal if no samples were sent', async () => {
    const calls: string[] = [];
    const results = await checkFaulty({
      rewrite(call) {
        calls.push(`${call.method} ${call.path}`);
        return call;
      },
      respond: ({ path }, response) => (path === '/drift/status' ? { status: 500, body: {} } : response),
    });
    expect(withOutcome(results, 'failed')).toContain('status');
    expect(calls).not.toContain('DELETE /samples');
  });

  test('has one failure and no further requests if it is unreachable', async () => {
    const results = await checkConformance({
      sidecar: { url: 'http://127.0.0.1:1', token: null },
      timeoutMs: TIMEOUT_MS,
    });
    expect(withOutcome(results, 'failed')).toEqual(['health']);
    expect(withOutcome(results, 'ok')).toEqual([]);
    expect(results[1]).toMatchObject({ outcome: 'skipped', reason: 'needs a sidecar that responds' });
  });
});

describe('a sidecar that conforms', () => {
  test('may leave out every optional field and path', async () => {
    const optionalPaths = ['/drift/feature', '/drift/stages', '/drift/features'];
    const base = ['feature', 'score', 'drifted'];
    const pick = (body: Body, fields: string[]) =>
      Object.fromEntries(Object.entries(body).filter(([field]) => fields.includes(field)));
    const results = await checkFaulty({
      respond({ path }, { status, body }) {
        if (optionalPaths.includes(path)) return { status: 404, body: 'no such path' };
        if (status !== 200 || path === '/samples') return { status, body };
        if (path === '/health') return { status, body: {} };
        const fields = ['isDrifted', 'driftScore', 'threshold', 'method', 'lastChecked', 'stage'];
        if (path === '/drift/history')
          return {
            status,
            body: body.map((check: Body) => pick(check, [...fields, 'id', 'checkedAt'])),
          };
        const featureDrifts = body.featureDrifts.map((feature: Body) => pick(feature, base));
        return { status, body: { ...pick(body, [...fields, 'success']), featureDrifts } };
      },
    });
    expect(withOutcome(results, 'failed')).toEqual([]);
    expect(withOutcome(results, 'skipped')).toEqual([
      'components',
      'optional fields',
      'noise floor',
      'history of a feature',
      'feature details',
      'feature settings',
      'stages',
    ]);
  });

  test('may report the features in any order, with scores that differ in the last digits', async () => {
    let responses = 0;
    const results = await checkFaulty({
      respond({ path }, { status, body }) {
        if (path !== '/drift/status' || status !== 200) return { status, body };
        responses += 1;
        const features: Body[] = responses % 2 ? body.featureDrifts : body.featureDrifts.toReversed();
        const error = responses * 1e-13;
        const featureDrifts = features.map(({ score, ...feature }) => ({ ...feature, score: score + error }));
        return { status, body: { ...body, featureDrifts } };
      },
    });
    expect(withOutcome(results, 'failed')).toEqual([]);
    expect(withOutcome(results, 'skipped')).toEqual([]);
  });

  test('may use another method than PSI, and ignore overall', async () => {
    const results = await checkFaulty({
      rewrite(call) {
        call.query.delete('overall');
        return call;
      },
      respond: ({ path }, { status, body }) => ({
        status,
        body: path === '/drift/status' && status === 200 ? { ...body, method: 'ks' } : body,
      }),
    });
    expect(withOutcome(results, 'failed')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toEqual([
      { requirement: 'insufficient data', outcome: 'skipped', reason: 'the method is ks' },
      { requirement: 'psi', outcome: 'skipped', reason: 'the method is ks' },
      {
        requirement: 'history of all samples',
        outcome: 'skipped',
        reason: expect.stringContaining('ignores overall=true'),
      },
    ]);
  });
});

describe('sidecar check', () => {
  const env = { ML_SIDECAR_TIMEOUT: '30s' };

  test('passes the reference sidecar, removes its samples, and prints no token', async () => {
    const { body: before } = await sidecar.request('GET', '/drift/status');
    const text = await runCommand(['sidecar', 'check', '--url', `${sidecar.url}/`, '--token', TOKEN], env);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    const lines = text.stdout.trim().split('\n');
    expect(lines).toHaveLength(24);
    for (const line of lines) expect(line).toMatch(/^ok {7}[a-z ]+$/);
    expect(await stagesOf()).toEqual(['lead']);
    expect((await sidecar.request('GET', '/drift/status')).body).toEqual(before);

    const json = await runCommand(['sidecar', 'check', '--json'], {
      ...env,
      ML_SIDECAR_URL: sidecar.url,
      ML_SIDECAR_TOKEN: TOKEN,
    });
    const document = JSON.parse(json.stdout);
    expect([json.code, document.url, document.ok]).toEqual([0, sidecar.url, true]);
    expect(document.requirements[0]).toEqual({ requirement: 'health', outcome: 'ok', reason: null });
    for (const { stdout, stderr } of [text, json]) expect(stdout + stderr).not.toContain(TOKEN);
  });

  test('exits with 1 and names the remedy if the token is missing', async () => {
    const { code, stdout } = await runCommand(['sidecar', 'check', '--url', sidecar.url], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed {3}status .*HTTP 401: set --token or ML_SIDECAR_TOKEN/m);
    expect(stdout).toMatch(/^skipped {2}psi .*needs the requirement/m);
  });

  test.each(['first-part\nsecond-part', 'tökén', ''])(
    'rejects the token %j without printing it',
    async (token) => {
      const args = ['sidecar', 'check', '--url', sidecar.url, '--token', token, '--json'];
      const { code, stdout, stderr } = await runCommand(args, env);
      expect(code).toBe(2);
      expect(JSON.parse(stdout).error).toEqual({
        code: 'USAGE',
        message: '--token must consist of letters, digits and - . _ ~ + / with optional = at the end.',
      });
      if (token) for (const part of token.split('\n')) expect(stdout + stderr).not.toContain(part);
    },
  );

  test('removes its samples if it is interrupted', async () => {
    await using slow = await startFaultySidecar(sidecar.url, { delayMs: 150 });
    const command = startCommand(['sidecar', 'check', '--url', slow.url, '--token', TOKEN, '--json'], env);
    await eventually(async () => (await stagesOf()).length === 2, 30_000);
    const { code, stdout } = await command.interrupt();
    expect([code, JSON.parse(stdout).ok]).toEqual([1, false]);
    expect(stdout).toContain('interrupted');
    expect(await stagesOf()).toEqual(['lead']);
  });

  test('says in its help what it writes', async () => {
    const { code, stdout } = await runCommand(['sidecar', 'check', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('stage with a unique name');
    expect(stdout).toContain('The history keeps the checks');
  });
});
