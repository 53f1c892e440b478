import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { someRows, startTestSidecar, type TestSidecar } from './support.ts';

let sidecar: TestSidecar;
let dir: string;
beforeAll(async () => {
  sidecar = await startTestSidecar();
  dir = await mkdtemp(join(tmpdir(), 'engagement-load-'));
});
afterAll(async () => {
  await sidecar.stop();
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  for (const set of ['reference', 'current']) await sidecar.request('DELETE', `/samples?set=${set}`);
});

async function file(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

const load = (...args: string[]) => runCommand(['sidecar', 'load', ...args], { ML_SIDECAR_URL: sidecar.url });

/** Rows of each set and stage, as they are stored. */
const stored = async () =>
  Object.fromEntries(
    (await sidecar.db.collection('partitions').find().toArray()).map(({ set, stage, rows }) => [
      `${set} ${stage}`,
      rows,
    ]),
  );

describe('sidecar load', { timeout: 60_000 }, () => {
  test('loads the same samples from a CSV file and a JSON file', async () => {
    const rows = someRows(6_000, 1);
    const csv = rows.map(
      ({ features, prediction, outcome }, index) =>
        `${features.age},"${features.source}",${prediction},${outcome ?? ''},${index % 2 ? 'lead' : ''}`,
    );
    const lines = rows.map((row, index) => JSON.stringify(index % 2 ? { ...row, stage: 'lead' } : row));
    const a = await load(
      '--set',
      'reference',
      await file('a.csv', `age,source,prediction,outcome,stage\n${csv.join('\n')}\n`),
    );
    const b = await load('--set', 'current', '--json', await file('b.jsonl', lines.join('\r\n')));
    expect(a).toMatchObject({ code: 0, stdout: expect.stringContaining('6,000'), stderr: '' });
    expect(JSON.parse(b.stdout)).toEqual({
      url: sidecar.url,
      set: 'current',
      loaded: 6_000,
      rejected: 0,
      errors: [],
    });
    expect(await stored()).toEqual({
      'reference null': 3_000,
      'reference lead': 3_000,
      'current null': 3_000,
      'current lead': 3_000,
    });
    const { featureDrifts } = await sidecar.check();
    expect(featureDrifts).toMatchObject(
      ['age', 'source', 'prediction', 'residual'].map((feature) => ({ feature, score: 0, drifted: false })),
    );
  });

  test('reports each bad row of a CSV file with its number, and loads the others', async () => {
    const text = [
      '\ufeffage,source,prediction,outcome',
      '30,ads,0.5,1',
      '31,mail,,1',
      'NaN,,0.25,',
      '"3,3",mail,0.5,1',
      '34,mail,0.5',
      '',
      '35,mail,high,1',
      'inf,mail,0.5,1',
      '37,"two\nlines",0.5,0',
      `38,${'x'.repeat(501)},0.5,0`,
    ].join('\n');
    const { code, stdout, stderr } = await load(
      '--set',
      'current',
      '--stage',
      'lead',
      '--json',
      await file('c.csv', text),
    );
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const { loaded, rejected, errors } = JSON.parse(stdout);
    expect({ loaded, rejected }).toEqual({ loaded: 4, rejected: 5 });
    expect(errors.map(({ row, line }: { row: number; line: number }) => [row, line])).toEqual([
      [2, 3],
      [5, 6],
      [6, 8],
      [7, 9],
      [9, 12],
    ]);
    expect(errors[0].message).toContain('prediction');
    expect(errors[1].message).toBe('The row has 3 cells; the header row has 4.');
    expect(errors[3].message).toBe('age: Must be finite.');
    expect(await stored()).toEqual({ 'current lead': 4 });
    const table = await load('--set', 'current', await file('c.csv', text));
    expect(table.stdout).toMatch(/^2 +3 +prediction: Must be a number/m);
  });

  test('reports each bad row of a JSON file with its number, and loads the others', async () => {
    const good = { features: { x: 1 }, prediction: 1, outcome: null };
    const text = [
      JSON.stringify(good),
      '{"features":',
      '[]',
      '',
      JSON.stringify({ ...good, prediction: '1' }),
      JSON.stringify({ ...good, stage: 7 }),
      JSON.stringify({ ...good, features: { residual: 1 } }),
      'x'.repeat(1_100_000),
      JSON.stringify({ ...good, stage: 'lead' }),
    ].join('\n');
    const { code, stdout } = await load(
      '--set',
      'current',
      '--stage',
      'deal',
      '--json',
      await file('d.jsonl', text),
    );
    expect(code).toBe(1);
    const { loaded, rejected, errors } = JSON.parse(stdout);
    expect({ loaded, rejected }).toEqual({ loaded: 2, rejected: 6 });
    expect(errors.map(({ row, line }: { row: number; line: number }) => [row, line])).toEqual([
      [2, 2],
      [3, 3],
      [4, 5],
      [5, 6],
      [6, 7],
      [7, 8],
    ]);
    expect(await stored()).toEqual({ 'current deal': 1, 'current lead': 1 });
  });

  test('rejects a file of unknown structure, and loads nothing of it', async () => {
    const refused = async (name: string, text: string) => {
      const { code, stdout, stderr } = await load('--set', 'current', await file(name, text));
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await refused('e.csv', '')).toContain('is empty');
    expect(await refused('f.csv', 'age,outcome\n1,2\n')).toContain('no column named prediction');
    expect(await refused('g.csv', 'age,age,prediction\n1,2,3\n')).toContain('two columns named age');
    expect(await refused('h.csv', 'age,,prediction\n1,2,3\n')).toContain(
      'Column 2: The feature name must not be empty.',
    );
    expect(await refused('i.csv', 'residual,prediction\n1,2\n')).toContain(
      'Column 1: The feature name is reserved.',
    );
    expect(await refused('j.csv', 'age,prediction\n1,2\n"2,3\n4,5\n')).toContain('Row 2');
    expect(await refused('k.txt', 'age,prediction\n1,2\n')).toContain('.csv');
    expect((await load('--set', 'current', join(dir, 'nowhere.csv'))).stderr).toContain('cannot be read');
    expect((await load('--set', 'other', join(dir, 'e.csv'))).code).toBe(2);
    expect(await stored()).toEqual({});
  });

  test('reports an unreachable sidecar or its error, and how many rows are stored', async () => {
    const path = await file('l.csv', 'age,prediction\n1,2\n');
    const away = await load('--set', 'current', '--url', 'http://127.0.0.1:1', path);
    expect(away).toMatchObject({ code: 1, stdout: '' });
    expect(away.stderr).toBe('The sidecar at http://127.0.0.1:1 is unreachable. 0 rows were stored.\n');

    const wide = (from: number) => Array.from({ length: 190 }, (_, index) => `f${from + index}`).join();
    const ones = Array(190).fill(1).join();
    await load('--set', 'reference', await file('m.csv', `${wide(0)},prediction\n${ones},1\n`));
    await load('--set', 'reference', await file('n.csv', `${wide(190)},prediction\n${ones},1\n`));
    const full = await load('--set', 'current', await file('o.csv', `${wide(380)},prediction\n${ones},1\n`));
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('the maximum is 400') });
  });
});
