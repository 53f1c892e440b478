import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { healthService } from '../../../src/features/health/health.service.ts';
import { systemClock } from '../../../src/platform/clock.ts';

/** The service over dependencies that count their probes. */
function counted() {
  let up = true;
  const probes = { database: 0, jobs: 0, sidecar: 0 };
  const probe = async (name: keyof typeof probes) => {
    probes[name] += 1;
    if (!up) throw new Error('down');
  };
  const connection = {
    name: 'test',
    getClient: () => ({ db: () => ({ command: () => probe('database') }) }),
  };
  const health = healthService({
    connection: connection as unknown as Connection,
    lastJobRun: () => probe('jobs').then(() => null),
    sidecar: { health: () => probe('sidecar').then(() => ({ modelVersion: null })) },
    clock: systemClock,
    version: '1',
  });
  return {
    health,
    probes,
    breakDown: () => {
      up = false;
    },
  };
}

test('requests within a second share one probe of each dependency', async () => {
  const { health, probes } = counted();
  await Promise.all(Array.from({ length: 500 }, () => health.check()));
  expect(probes).toEqual({ database: 1, jobs: 1, sidecar: 1 });
});

test('a failure is reported by the next check after a second', async () => {
  const { health, breakDown } = counted();
  expect((await health.check()).status).toBe('ok');
  breakDown();
  await sleep(1_010);
  expect((await health.check()).status).toBe('down');
});
