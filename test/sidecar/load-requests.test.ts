import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadSamples } from '../../src/sidecar/load/load-samples.ts';
import { type LoadTest, startLoadTest } from './load-support.ts';
import { someRows, startSidecarCommand, startTestSidecar } from './support.ts';

let sidecar: LoadTest['sidecar'];
let file: LoadTest['file'];
let load: LoadTest['load'];
let stop: LoadTest['stop'];
beforeAll(async () => {
  ({ sidecar, file, load, stop } = await startLoadTest());
});
afterAll(() => stop());
afterEach(() => sidecar.clear());

describe('the requests of sidecar load', () => {
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

  test('reports the stored rows when the sidecar is killed during the load', async () => {
    await using database = await startTestSidecar();
    const { command: victim, url } = await startSidecarCommand({ MONGODB_URI: database.mongodbUri });
    const path = await file('w.csv', `age,prediction\n${'1,2\n'.repeat(2_000_000)}`);
    const loading = load('--set', 'current', '--url', url, path);
    const batches = database.db.collection('batches');
    while ((await batches.countDocuments()) < 2) await sleep(10);
    victim.process.kill('SIGKILL');
    await victim.ended;
    const { code, stdout, stderr } = await loading;
    expect([code, stdout]).toEqual([1, '']);
    const [, reported = ''] =
      /^The sidecar at \S+ (?:is|did) .* (\d+) rows were stored\.\n$/.exec(stderr) ?? [];
    const [partition] = await database.db.collection('partitions').find().toArray();
    expect(Number(reported)).toBeGreaterThan(0);
    expect(Number(reported)).toBeLessThan(2_000_000);
    // The last two requests may have been stored without a response.
    expect(partition?.rows - Number(reported)).toBeGreaterThanOrEqual(0);
    expect(partition?.rows - Number(reported)).toBeLessThanOrEqual(50_000);
  });

  test.each([400, 415, 422])('sends JSON to a sidecar that answers columns with HTTP %i', async (status) => {
    const bodies: { set: string; stage: string | null; rows: unknown[] }[] = [];
    const server = createServer(async (request, response) => {
      const isJson = request.headers['content-type'] === 'application/json';
      const body = Buffer.concat(await request.toArray());
      if (isJson) bodies.push(JSON.parse(body.toString()));
      response.writeHead(isJson ? 200 : status, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rows = someRows(12_000, 3);
    const path = await file('x.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    const { code, stdout } = await load('--set', 'current', '--stage', 'lead', '--json', '--url', url, path);
    server.close();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ loaded: 12_000, format: 'json', requests: 4 });
    expect(bodies.map(({ set, stage, rows: sent }) => [set, stage, sent.length])).toEqual([
      ['current', 'lead', 5_000],
      ['current', 'lead', 5_000],
      ['current', 'lead', 2_000],
    ]);
    expect(bodies.flatMap((body) => body.rows)).toEqual(rows);
  });

  test('holds a bounded part of a file with a stage for each row', async () => {
    const features = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index]));
    const lines = Array.from({ length: 4_000 }, (_, row) =>
      JSON.stringify({ features, prediction: 0.5, stage: `s${row}` }),
    );
    let rowsRead = 0;
    const loading = loadSamples({
      sidecar,
      set: 'current',
      stage: null,
      model: 'default',
      file: await file('stages.jsonl', lines.join('\n')),
      onProgress: ({ rows }) => {
        rowsRead = rows;
      },
    });
    await expect(loading).rejects.toThrow(/HTTP 422: .* 50 rows were stored\./);
    expect(rowsRead).toBeLessThan(1_500);
  });

  test('stores the rows of a file in their order', async () => {
    const text = Array.from({ length: 120_000 }, (_, row) => `${row},0.5\n`).join('');
    const { code } = await load('--set', 'current', await file('y.csv', `age,prediction\n${text}`));
    expect(code).toBe(0);
    const blocks = await sidecar.db
      .collection('batches')
      .find({}, { sort: { n: 1 } })
      .toArray();
    const ages = blocks.flatMap(({ columns }) => {
      const { buffer, position } = columns.fage.numbers;
      return [...new Float64Array(new Uint8Array(buffer.subarray(0, position)).buffer)];
    });
    expect(ages).toHaveLength(120_000);
    expect(ages.every((age, row) => age === row)).toBe(true);
  });
});
