import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
beforeAll(async () => {
  sidecar = await startTestSidecar();
});
afterAll(() => sidecar.stop());

const MEGABYTE = 1024 * 1024;
const row = { features: { x: 1 }, prediction: 0.5, outcome: 1 };
const samples = { set: 'current', stage: 'lead', rows: [row] };
const rows = async () => (await sidecar.db.collection('partitions').find().toArray()).length;

describe('POST /samples', () => {
  test('returns the number of rows added, including 0', async () => {
    expect(await sidecar.request('POST', '/samples', samples)).toMatchObject({
      status: 200,
      body: { set: 'current', stage: 'lead', added: 1 },
    });
    const { stage: _, ...withoutStage } = { ...samples, rows: [] };
    expect((await sidecar.request('POST', '/samples', withoutStage)).body).toEqual({
      set: 'current',
      stage: null,
      added: 0,
    });
  });

  const wrongEnvelopes: [string, unknown, string[]][] = [
    ['an array', [], ['']],
    ['nothing in it', {}, ['set', 'rows']],
    ['an unknown set', { ...samples, set: 'other' }, ['set']],
    ['an empty stage', { ...samples, stage: '' }, ['stage']],
    ['a stage that is no string', { ...samples, stage: 7 }, ['stage']],
    ['a stage too long', { ...samples, stage: 'x'.repeat(501) }, ['stage']],
    ['a stage with a line break', { ...samples, stage: 'a\nb' }, ['stage']],
    ['a stage with a bidirectional mark', { ...samples, stage: 'a\u202eb' }, ['stage']],
    ['half of a surrogate pair', { ...samples, stage: '\ud800' }, ['stage']],
    ['an unknown field', { ...samples, more: 1 }, ['more']],
    ['rows that are no array', { ...samples, rows: {} }, ['rows']],
    ['too many rows', { ...samples, rows: Array(50_001).fill(0) }, ['rows']],
  ];
  const wrongRows: [string, unknown, string][] = [
    ['no object', 1, 'rows.1'],
    ['an array', [], 'rows.1'],
    ['an unknown field', { ...row, weight: 1 }, 'rows.1.weight'],
    ['no prediction', { features: {} }, 'rows.1.prediction'],
    ['a prediction of null', { ...row, prediction: null }, 'rows.1.prediction'],
    ['a prediction beyond 1e300', { ...row, prediction: 2e300 }, 'rows.1.prediction'],
    ['an outcome that is no number', { ...row, outcome: true }, 'rows.1.outcome'],
    ['no features', { prediction: 1 }, 'rows.1.features'],
    ['features that are a list', { ...row, features: [1] }, 'rows.1.features'],
    ['a feature that is an object', { ...row, features: { x: {} } }, 'rows.1.features.x'],
    ['a feature that is a truth value', { ...row, features: { x: true } }, 'rows.1.features.x'],
    ['a category too long', { ...row, features: { x: 'x'.repeat(501) } }, 'rows.1.features.x'],
    ['a feature without a name', { ...row, features: { '': 1 } }, 'rows.1.features.'],
    ['a feature named prediction', { ...row, features: { prediction: 1 } }, 'rows.1.features.prediction'],
    ['a feature named residual', { ...row, features: { residual: 1 } }, 'rows.1.features.residual'],
    [
      'more than 200 features',
      { ...row, features: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, 1])) },
      'rows.1.features',
    ],
  ];

  test.each(wrongEnvelopes)('rejects %s', async (_what, body, paths) => {
    const answer = await sidecar.request<{ error: { code: string; details: { path: string }[] } }>(
      'POST',
      '/samples',
      body,
    );
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.error.details.map(({ path }) => path)).toEqual(paths);
  });

  test.each(wrongRows)('rejects a row that is or has %s, and names it', async (_what, wrong, path) => {
    const before = await rows();
    const answer = await sidecar.request<{ error: { code: string; details: { path: string }[] } }>(
      'POST',
      '/samples',
      {
        ...samples,
        stage: 'wrong',
        rows: [row, wrong],
      },
    );
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(answer.body.error.details.map((detail) => detail.path)).toEqual([path]);
    expect(await rows()).toBe(before);
  });

  test('names at most twenty invalid rows', async () => {
    const { body } = await sidecar.request('POST', '/samples', { ...samples, rows: Array(100).fill({}) });
    expect(body.error?.details).toHaveLength(20);
  });

  test('accepts names and categories that are special in JavaScript or MongoDB', async () => {
    await using other = await startTestSidecar();
    const names = ['__proto__', 'constructor', '$set', 'a.b', '%2e', '0', 'toString', 'ä ü'];
    const features = `{${names.map((name) => `${JSON.stringify(name)}:"${name}"`).join()}}`;
    const body = (set: string) =>
      `{"set":"${set}","stage":"__proto__","rows":[${Array(40).fill(`{"features":${features},"prediction":1}`).join()}]}`;
    expect((await other.request('POST', '/samples', body('reference'))).status).toBe(200);
    expect((await other.request('POST', '/samples', body('current'))).status).toBe(200);
    const { featureDrifts } = await other.check('__proto__');
    expect(featureDrifts.map(({ feature }) => feature)).toEqual([
      ...[...names].sort(),
      'prediction',
      'residual',
    ]);
    expect(featureDrifts.every(({ score }) => score === 0)).toBe(true);
  });

  test('rejects too many features, stages or distinct strings', async () => {
    await using other = await startTestSidecar();
    const wide = (from: number) => ({
      set: 'current',
      rows: [
        {
          prediction: 1,
          features: Object.fromEntries(Array.from({ length: 199 }, (_, index) => [`f${from + index}`, 1])),
        },
      ],
    });
    expect((await other.request('POST', '/samples', wide(0))).status).toBe(200);
    expect((await other.request('POST', '/samples', wide(199))).status).toBe(200);
    expect((await other.request('POST', '/samples', wide(398))).body).toMatchObject({
      error: {
        code: 'VALIDATION_FAILED',
        details: [{ path: 'rows', message: expect.stringContaining('400') }],
      },
    });
    // Of no stage there are samples already.
    const few = [{ features: { f0: 1 }, prediction: 1 }];
    for (let index = 1; index < 50; index += 1) await other.add('current', `s${index}`, few);
    expect(
      (await other.request('POST', '/samples', { set: 'current', stage: 's50', rows: few })).status,
    ).toBe(422);
    const words = (from: number) => ({
      set: 'current',
      rows: Array.from({ length: 45_000 }, (_, index) => ({
        prediction: 1,
        features: { f0: `w${from + index}` },
      })),
    });
    expect((await other.request('POST', '/samples', words(0))).status).toBe(200);
    expect((await other.request('POST', '/samples', words(45_000))).status).toBe(200);
    expect((await other.request('POST', '/samples', words(90_000))).body).toMatchObject({
      error: { details: [{ path: 'rows', message: expect.stringContaining('f0') }] },
    });
    await other.request('DELETE', '/samples?set=current');
    expect((await other.request('POST', '/samples', words(90_000))).status).toBe(200);
  });

  test('applies the limits of stages and features to concurrent requests', async () => {
    await using other = await startTestSidecar();
    const send = (stage: string, feature: string) =>
      other.request('POST', '/samples', {
        set: 'current',
        stage,
        rows: [{ features: { [feature]: 1 }, prediction: 1 }],
      });
    const accepted = async (requests: Promise<{ status: number }>[]) =>
      (await Promise.all(requests)).filter(({ status }) => status === 200).length;
    expect(await accepted(Array.from({ length: 80 }, (_, index) => send(`s${index}`, 'a')))).toBe(50);
    await other.request('DELETE', '/samples?set=current');
    const names = Array.from({ length: 450 }, (_, index) => `f${index}`);
    expect(await accepted(names.map((name, index) => send(`s${index % 50}`, name)))).toBe(400);
  });

  test('rejects bodies that are not JSON in UTF-8 or not declared as JSON', async () => {
    const status = async (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      (await sidecar.request('POST', '/samples', body, headers)).status;
    expect(await status('{"set":')).toBe(400);
    expect(await status('')).toBe(400);
    expect(await status('['.repeat(1_000_000))).toBe(400);
    expect(await status(Uint8Array.of(0x22, 0xff, 0x22))).toBe(400);
    const text = JSON.stringify(samples);
    expect(await status(text, { 'content-type': 'text/plain' })).toBe(415);
    expect(await status(text, { 'content-encoding': 'gzip' })).toBe(415);
    expect(await status(text, { 'content-type': 'Application/JSON; charset=utf-8' })).toBe(200);
  });

  test('rejects a body above 16 MiB, with or without a declared length, and keeps running', async () => {
    const tooLong = 'x'.repeat(16 * MEGABYTE + 1);
    const said = await sidecar.request('POST', '/samples', tooLong);
    expect([said.status, said.body.error?.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const unsaid = await fetch(`${sidecar.url}/samples`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([tooLong]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(unsaid.status).toBe(413);
    expect((await sidecar.request('POST', '/samples', samples)).status).toBe(200);
  });

  test('survives bodies of maximum processing cost', async () => {
    const objects = `[${'{},'.repeat(5 * MEGABYTE)}{}]`;
    expect((await sidecar.request('POST', '/samples', objects)).status).toBe(422);
    const sparse = Array.from({ length: 20_000 }, (_, index) => ({
      features: { [`f${index}`]: 1 },
      prediction: 1,
    }));
    expect((await sidecar.request('POST', '/samples', { ...samples, rows: sparse })).status).toBe(422);
    expect((await sidecar.request('GET', '/health')).status).toBe(200);
  });

  test('stores nothing of a truncated body', async () => {
    const before = await rows();
    const { port } = new URL(sidecar.url);
    for (let index = 0; index < 5; index += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      const text = JSON.stringify({ ...samples, stage: 'cut' });
      socket.write(
        `POST /samples HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${16 * MEGABYTE}\r\n\r\n${text}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
    }
    // The room that these bodies had is free again.
    await sidecar.add('current', 'lead', someRows(10, 1));
    expect(await rows()).toBe(before);
  });
});
