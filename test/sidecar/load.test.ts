import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LoadTest, startLoadTest } from './load-support.ts';
import { someRows } from './support.ts';

let sidecar: LoadTest['sidecar'];
let dir: string;
let file: LoadTest['file'];
let load: LoadTest['load'];
let stop: LoadTest['stop'];
beforeAll(async () => {
  ({ sidecar, dir, file, load, stop } = await startLoadTest());
});
afterAll(() => stop());
afterEach(() => sidecar.clear());

/** Rows of each set and stage, as they are stored. */
const stored = async () =>
  Object.fromEntries(
    (await sidecar.db.collection('partitions').find().toArray()).map(({ set, stage, rows }) => [
      `${set} ${stage}`,
      rows,
    ]),
  );

describe('sidecar load', () => {
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
      read: 6_000,
      loaded: 6_000,
      rejected: 0,
      reasons: [],
      errors: [],
      stages: { '': 3_000, lead: 3_000 },
      requests: 2,
      format: 'columns',
      bytes: Buffer.byteLength(lines.join('\r\n')),
      durationMs: expect.any(Number),
      rowsPerSecond: expect.any(Number),
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
    expect(table.stdout).toMatch(/^\d +3(?:, \d+)* +prediction: Must be a number/m);
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

  test('prints each reason once, with the first lines that it has, and the totals last', async () => {
    const bad = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? 'inf,1' : `${index}`));
    const path = await file('p.csv', `age,prediction\n1,2\n${bad.join('\n')}\n`);
    const text = await load('--set', 'current', path);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^200 +4, 5, 7, 8, 10 +The row has 1 cells; the header row has 2\.$/m);
    expect(text.stdout).toMatch(/^100 +3, 6, 9, 12, 15 +age: Must be finite\.$/m);
    expect(text.stdout).toMatch(/Read +301\nLoaded +1\nRejected +300\nDuration +[\d.]+ s, [\d,]+ rows\/s\n$/);
    const { reasons, errors, ...totals } = JSON.parse(
      (await load('--set', 'current', '--json', path)).stdout,
    );
    expect(totals).toMatchObject({ read: 301, loaded: 1, rejected: 300 });
    expect(errors).toHaveLength(100);
    expect(reasons.map(({ count }: { count: number }) => count)).toEqual([200, 100]);
    const lines = await load('--set', 'current', '--json', await file('q.jsonl', '{}\n[]\n{}\n'));
    expect(JSON.parse(lines.stdout)).toMatchObject({
      reasons: [
        { count: 2, lines: [1, 3] },
        { count: 1, lines: [2] },
      ],
    });
  });

  test('describes a file with bad lines only, without rows, or with broken quotation marks', async () => {
    const allBad = await load('--set', 'current', await file('r.csv', 'age,prediction\n1,x\n2,y\n'));
    expect(allBad).toMatchObject({ code: 1, stdout: expect.stringContaining('No row was loaded') });
    const failure = async (name: string, text: string) =>
      (await load('--set', 'current', await file(name, text))).stderr;
    expect(await failure('s.csv', 'age,prediction\n')).toBe('The file has no rows.\n');
    expect(await failure('t.jsonl', '\n')).toBe('The file has no rows.\n');
    expect(await failure('u.csv', 'age,prediction\n1,2\n3,"4\n5,6\n')).toBe(
      'Row 2, which starts in line 3, has a quotation mark that is not closed. 0 rows were stored.\n',
    );
    expect(await failure('v.csv', `age,prediction\n"${'1,2\n'.repeat(300_000)}`)).toContain(
      'Row 1, which starts in line 2, exceeds the maximum of 1048576 bytes',
    );
    expect(await stored()).toEqual({});
  });

  test.skipIf(!existsSync('/usr/bin/script'))('shows rows and rate on a terminal', async () => {
    const path = await file('z.csv', `age,prediction\n${'1,2\n'.repeat(400_000)}`);
    const command = `"${process.execPath}" src/cli/main.ts sidecar load --set current "${path}"`;
    const { stdout } = await promisify(execFile)('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, ML_SIDECAR_URL: sidecar.url, TERM: 'xterm' },
    });
    expect(stdout).toMatch(/\d+ % {2}[\d,]{6,} rows, 0 rejected, [\d,]+ rows\/s/);
    expect(stdout).toMatch(/Loaded +400,000/);
  });
});
