import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { testMongod } from '../support/mongo.ts';
import { sharedDataDir, startProcess } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TOUR_MS = 110_000;

/** Returns the section "Tour" of the README, and its shell block. */
async function readTour(): Promise<{ section: string; script: string }> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [section = ''] = /^## Tour\n[\s\S]*?(?=^## )/m.exec(readme) ?? [];
  const script = /^```sh\n([\s\S]*?)^```/m.exec(section)?.[1];
  if (!script) throw new Error('The README has no shell block in its section "Tour".');
  return { section, script };
}

/** Runs a script with `sh` in the root of the repository, and returns its output. */
async function runScript(script: string, env: Record<string, string>): Promise<string> {
  // A process group of its own, so that a receiver that the script leaves behind ends with it.
  const shell = spawn('sh', ['-c', script], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  });
  const endGroup = () => shell.pid && process.kill(-shell.pid, 'SIGKILL');
  const timeout = setTimeout(endGroup, TOUR_MS);
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [, signal] = (await once(shell, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timeout);
  if (signal) throw new Error(`The tour did not end within ${TOUR_MS} ms: ${output}`);
  return output;
}

/** Pages of deliveries and single deliveries that the tour prints, one JSON document per line. */
const documentsOf = (output: string): Record<string, unknown>[] =>
  output.split('\n').flatMap((line) => (/^\{".*\}$/.test(line) ? [JSON.parse(line)] : []));

/** Returns the names of the fields of a document, and of the first object in each of its lists. */
const fieldsOf = (document: Record<string, unknown>): unknown[] =>
  Object.entries(document).map(([name, value]) =>
    Array.isArray(value) ? [name, Object.keys(value[0] as object)] : name,
  );

test('the tour of the README runs as one script, again and again, and ends with a delivery that its resend made succeed', async () => {
  await using dataDir = await sharedDataDir();
  const { path: binary } = await testMongod();
  const service = await startProcess(dataDir.path, {
    mongodbUri: '',
    env: { MONGOD_BINARY: binary, DRIFT_CHECK_SCHEDULE: 'off' },
  });
  try {
    // Written once the service listens.
    const demo = join(dataDir.path, 'demo.env');
    await eventually(async () => (await readFile(demo, 'utf8')).includes(`BASE_URL=${service.url}\n`));

    const port = String(await freePort());
    const tour = await readTour();
    const script = tour.script.replaceAll('9000', port);
    const output = await runScript(script, { DATA_DIR: dataDir.path });

    expect(output).toContain(`Listening at http://127.0.0.1:${port}.`);
    expect(output.match(/conversion\.recorded {2}verified: yes/g)).toHaveLength(2);
    const documents = documentsOf(output);
    const [event, failed, succeeded, ...others] = documents;
    expect(others).toEqual([]);
    expect(documentsOf(tour.section).map(fieldsOf), 'the samples of the README').toEqual(
      documents.map(fieldsOf),
    );
    expect(event).toMatchObject({
      event_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'conversion',
      goal: 'demo_booked',
      visitor_id: 'v_1',
      value: 250,
    });
    expect(output).toContain(`event ${event?.event_id}  arrival 1`);
    expect(failed?.data).toMatchObject([{ status: 'retrying', attempt: 2, error: 'connection_refused' }]);
    expect(succeeded).toMatchObject({
      event: 'conversion.recorded',
      status: 'succeeded',
      attempt: 2,
      responseStatus: 200,
      attempts: [
        { number: 1, manual: false, error: 'connection_refused' },
        { number: 2, manual: false, error: 'connection_refused' },
        { number: 3, manual: true, responseStatus: 200, error: null },
      ],
    });

    // An endpoint that the first run left behind would deliver to this receiver under another secret.
    const again = await runScript(script, { DATA_DIR: dataDir.path });
    expect(again.match(/conversion\.recorded {2}verified: yes/g)).toHaveLength(2);
    expect(again).not.toContain('verified: NO');
  } finally {
    await service.end('SIGINT');
  }
}, 300_000);
