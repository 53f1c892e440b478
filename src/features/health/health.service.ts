import type { Connection } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';

/** What `GET /api/health` answers (contract 9). */
export interface Health {
  /** `degraded`: something but the database is down; `down`: the database is. */
  status: 'ok' | 'degraded' | 'down';
  sidecar: { status: 'up' | 'down'; latencyMs: number | null; modelVersion: string | null };
  database: { status: 'up' | 'down'; latencyMs: number | null };
  jobs: { status: 'up' | 'down'; lastRunAt: Date | null };
  version: string;
  uptimeSeconds: number;
}

interface Deps {
  connection: Connection;
  /** When any worker last ran a job. */
  lastJobRun: () => Promise<Date | null>;
  /** Probe of the ML sidecar. Rejects if it does not respond in time. */
  sidecar: { health(timeoutMs: number): Promise<{ modelVersion: string | null }> };
  clock: Clock;
  version: string;
}

/** One probe may take this long. */
const PROBE_MS = 1_000;
/** Jobs run every second; after this long without one no worker is there. */
const JOBS_LATE_MS = 30_000;

export function healthService({ connection, lastJobRun, sidecar, clock, version }: Deps) {
  // A worker that has only just begun is not late.
  const startedAt = clock.now().getTime();

  return {
    /** Probes everything at once, each for a second at most. Never throws. */
    async check(): Promise<Health> {
      const [ping, lastRun, model] = await Promise.all([
        probe(() => connection.getClient().db(connection.name).command({ ping: 1 })),
        probe(lastJobRun),
        probe(() => sidecar.health(PROBE_MS)),
      ]);
      const lastRunAt = lastRun?.value ?? null;
      const since = Math.max(lastRunAt?.getTime() ?? 0, startedAt);
      const late = clock.now().getTime() - since > JOBS_LATE_MS;
      return {
        status: ping ? (late || !model ? 'degraded' : 'ok') : 'down',
        sidecar: {
          status: model ? 'up' : 'down',
          latencyMs: model?.latencyMs ?? null,
          modelVersion: model?.value.modelVersion ?? null,
        },
        database: { status: ping ? 'up' : 'down', latencyMs: ping?.latencyMs ?? null },
        jobs: { status: late ? 'down' : 'up', lastRunAt },
        version,
        uptimeSeconds: Math.floor(process.uptime()),
      };
    },
  };
}

export type HealthService = ReturnType<typeof healthService>;

/** The value and how long it took; null when it failed or was too slow. */
async function probe<T>(work: () => Promise<T>): Promise<{ value: T; latencyMs: number } | null> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PROBE_MS, null);
  });
  const done = work().then(
    (value) => ({ value, latencyMs: Math.round(performance.now() - started) }),
    () => null,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
