import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { superviseProcess } from '../../src/runtime/embedded/supervised-process.ts';
import { processesWith, read, temporaryDir } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';

function recordingLog() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, log: pino({ level: 'debug' }, stream) };
}

test('a process that cannot start is restarted with increasing delays, one log line per exit, until it is stopped', async () => {
  const { lines, log } = recordingLog();
  const args = ['-e', 'console.error("port in use"); process.exit(3)'];
  const supervised = superviseProcess({ name: 'fake sidecar', args, env: {}, log });
  await eventually(() => lines.length >= 6, 60_000);
  // The stop does not wait for the end of the last delay, which is 8 s.
  const stoppedAt = performance.now();
  await supervised.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(6_000);
  expect(lines.slice(0, 3)).toMatchObject(
    [250, 500, 1000].map((restartInMs) => ({
      code: 3,
      output: 'port in use',
      restartInMs,
      msg: 'the fake sidecar has exited; restarting it',
    })),
  );
});

test('a process that ignores SIGTERM is killed at the stop and not restarted', async () => {
  await using dir = await temporaryDir();
  const ready = join(dir.path, 'ready');
  const { lines, log } = recordingLog();
  const program = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
    fs.appendFileSync(${JSON.stringify(ready)}, 'started ')`;
  const supervised = superviseProcess({ name: 'fake sidecar', args: ['-e', program], env: {}, log });
  await eventually(async () => (await read(ready)) !== '', 60_000);
  await supervised.stop();
  expect(lines).toEqual([]);
  expect(processesWith(ready)).toEqual([]);
  expect(await read(ready)).toBe('started ');
});
