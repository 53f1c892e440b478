import type { Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { healthService } from '../../../src/features/health/health.service.ts';

/** The service over dependencies that count their probes. */
function counted() {
  let now = 1_000_000;
  let up = true;
  let isOut = false;
  let proxyFailure: { error: 'proxy_refused'; sinceMs: number } | null = null;
  let audit: { at: Date; findings: number } | null = null;
  let unreadableAt: Date | null = null;
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
    writes: { isOut: () => isOut },
    lastJobRun: () => probe('jobs').then(() => null),
    sidecar: { health: () => probe('sidecar').then(() => ({ modelVersion: null })) },
    proxy: { failure: () => proxyFailure },
    lastAudit: async () => audit,
    lastUnreadable: () => unreadableAt,
    clock: { now: () => new Date(now) },
    version: '1',
  });
  return {
    health,
    probes,
    breakDown: () => {
      up = false;
    },
    stopProxy: () => {
      proxyFailure = { error: 'proxy_refused', sinceMs: 1 };
    },
    verify: (findings: number) => {
      audit = { at: new Date(now), findings };
    },
    findUnreadable: () => {
      unreadableAt = new Date(now);
    },
    stopWrites: () => {
      isOut = true;
    },
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const HOUR = 3_600_000;
const ONCE = { database: 1, jobs: 1, sidecar: 1 };
const TWICE = { database: 2, jobs: 2, sidecar: 2 };

test('requests within a second share one probe of each dependency', async () => {
  const { health, probes, advance } = counted();
  await Promise.all(Array.from({ length: 500 }, () => health.check()));
  advance(999);
  await health.check();
  expect(probes).toEqual(ONCE);
  advance(1);
  await Promise.all([health.check(), health.check()]);
  expect(probes).toEqual(TWICE);
});

test('a database that accepts no writes is down with a latency, and the service is degraded', async () => {
  const { health, stopWrites, advance } = counted();
  expect((await health.check()).database).toEqual({ status: 'up', latencyMs: expect.any(Number) });
  stopWrites();
  advance(1_000);
  expect(await health.check()).toMatchObject({
    status: 'degraded',
    database: { status: 'down', latencyMs: expect.any(Number) },
  });
});

test('a proxy that fails degrades the service, with the code of its failure', async () => {
  const { health, stopProxy, advance } = counted();
  expect((await health.check()).outboundProxy).toEqual({ status: 'up', error: null });
  stopProxy();
  advance(1_000);
  expect(await health.check()).toMatchObject({
    status: 'degraded',
    outboundProxy: { status: 'down', error: 'proxy_refused' },
  });
});

test('a failure is reported by the next check after a second, also after the clock was set back', async () => {
  const { health, probes, breakDown, advance } = counted();
  expect((await health.check()).status).toBe('ok');
  breakDown();
  advance(1_000);
  expect((await health.check()).status).toBe('down');
  advance(-3_600_000);
  await health.check();
  expect(probes.database).toBe(3);
});

test('an audit log that was changed is degraded, and stops nothing', async () => {
  const { health, verify, advance } = counted();
  expect(await health.check()).toMatchObject({ status: 'ok', auditLog: { status: 'up', verifiedAt: null } });
  verify(1);
  advance(1_000);
  expect(await health.check()).toMatchObject({
    status: 'degraded',
    database: { status: 'up' },
    auditLog: { status: 'down', verifiedAt: new Date(1_000_000) },
  });
  verify(0);
  advance(1_000);
  expect((await health.check()).status).toBe('ok');
});

test('audit logs that were not verified for three hours degrade the service, also if they never were', async () => {
  const { health, verify, advance } = counted();
  const audit = async () => (await health.check()).auditLog;
  advance(3 * HOUR);
  expect((await audit()).status).toBe('up');
  advance(1_000);
  expect(await audit()).toEqual({ status: 'down', verifiedAt: null });
  verify(0);
  advance(1_000);
  expect((await audit()).status).toBe('up');
  advance(3 * HOUR);
  expect((await audit()).status).toBe('down');
});

test('a value that cannot be decrypted degrades the service for 15 minutes', async () => {
  const { health, findUnreadable, advance } = counted();
  expect(await health.check()).toMatchObject({
    status: 'ok',
    encryption: { status: 'up', unreadableAt: null },
  });
  findUnreadable();
  advance(1_000);
  const unreadableAt = new Date(1_000_000);
  expect(await health.check()).toMatchObject({
    status: 'degraded',
    encryption: { status: 'down', unreadableAt },
  });
  advance(15 * 60_000 - 1_000);
  expect((await health.check()).encryption.status).toBe('down');
  advance(1_000);
  expect((await health.check()).encryption).toEqual({ status: 'up', unreadableAt });
});
