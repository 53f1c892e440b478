import type { Connection } from 'mongoose';
import { isOverdue } from '../../jobs/job-runs.ts';
import type { OutboundProxy } from '../../outbound/proxy.ts';
import { cached } from '../../platform/cached.ts';
import type { Clock } from '../../platform/clock.ts';
import type { WriteOutage } from '../../platform/mongo/outages.ts';
import { nullAfter } from '../../platform/null-after.ts';

/** Health of the service and its dependencies (contract 9). */
export interface Health {
  /** `down` if the database does not respond, `degraded` if it accepts no writes or another dependency is down. */
  status: 'ok' | 'degraded' | 'down';
  /** `latencyMs` and `modelVersion` are null if the sidecar is down. */
  sidecar: { status: 'up' | 'down'; latencyMs: number | null; modelVersion: string | null };
  /** `down` while writes do not become durable. `latencyMs` of a read; null if the database does not respond. */
  database: { status: 'up' | 'down'; latencyMs: number | null };
  /** `lastRunAt` is null if no job has run or the database does not respond. */
  jobs: { status: 'up' | 'down'; lastRunAt: Date | null };
  /** As this process sees it; null without `OUTBOUND_PROXY`. `error` is the code of the failure; null if it is `up`. */
  outboundProxy: { status: 'up' | 'down'; error: string | null } | null;
  /**
   * `down` if the last verification of all logs has found a deviation, or none has ended for three hours. `verifiedAt` is
   * null before the first one.
   */
  auditLog: { status: 'up' | 'down'; verifiedAt: Date | null };
  /**
   * As this process sees it: `down` while it has found a value that it cannot decrypt at most `UNREADABLE_MS` ago.
   * `unreadableAt` is the last time; null if there was none.
   */
  encryption: { status: 'up' | 'down'; unreadableAt: Date | null };
  version: string;
  uptimeSeconds: number;
}

interface Deps {
  connection: Connection;
  writes: Pick<WriteOutage, 'isOut'>;
  /** Returns the end of the latest run of any job; null if none has run. */
  lastJobRun: () => Promise<Date | null>;
  /** Probe of the ML sidecar. Rejects if it does not respond in time. */
  sidecar: { health(timeoutMs: number): Promise<{ modelVersion: string | null }> };
  /** Null if none is configured. */
  proxy: Pick<OutboundProxy, 'failure'> | null;
  /** Returns the last verification of the audit logs; null before the first one. */
  lastAudit: () => Promise<{ at: Date | null; findings: number } | null>;
  /** Returns when this process last found a value that it cannot decrypt; null if it has not. */
  lastUnreadable: () => Date | null;
  clock: Clock;
  version: string;
}

/** Timeout of each probe. */
const PROBE_TIMEOUT_MS = 1_000;
/** How long a value that cannot be decrypted degrades the health: longer than the pauses between two reads of it. */
const UNREADABLE_MS = 15 * 60_000;
/** Time without a verification of the audit logs after which the next one is overdue: one starts each hour, and may last. */
const AUDIT_OVERDUE_MS = 3 * 60 * 60_000;
/** How long a result is reused. */
const MAX_AGE_MS = 1_000;

const latest = (time: Date, other: Date | null): Date => (other && other > time ? other : time);

/** Checks the health of the service and of what it depends on. */
export function healthService(deps: Deps) {
  const { connection, writes, lastJobRun, sidecar, proxy, lastAudit, lastUnreadable, clock, version } = deps;
  // Until a job has run, or the audit logs were verified, the start counts as the last time.
  const startedAt = clock.now();

  /** Probes all dependencies concurrently. Never throws. */
  async function probeAll(): Promise<Health> {
    const [ping, lastRun, model, audit] = await Promise.all([
      probe(() => connection.getClient().db(connection.name).command({ ping: 1 })),
      probe(lastJobRun),
      probe(() => sidecar.health(PROBE_TIMEOUT_MS)),
      probe(lastAudit),
    ]);
    const lastRunAt = lastRun?.value ?? null;
    const late = isOverdue(latest(startedAt, lastRunAt), clock.now());
    const isWritable = !writes.isOut();
    const proxyFailure = proxy?.failure() ?? null;
    const verifiedAt = audit?.value?.at ?? null;
    const isVerified =
      (audit?.value?.findings ?? 0) === 0 &&
      clock.now().getTime() - latest(startedAt, verifiedAt).getTime() <= AUDIT_OVERDUE_MS;
    const unreadableAt = lastUnreadable();
    const isReadable = !unreadableAt || clock.now().getTime() - unreadableAt.getTime() > UNREADABLE_MS;
    const works = isWritable && !late && model && !proxyFailure && isVerified && isReadable;
    return {
      status: ping ? (works ? 'ok' : 'degraded') : 'down',
      sidecar: {
        status: model ? 'up' : 'down',
        latencyMs: model?.latencyMs ?? null,
        modelVersion: model?.value.modelVersion ?? null,
      },
      database: { status: ping && isWritable ? 'up' : 'down', latencyMs: ping?.latencyMs ?? null },
      jobs: { status: late ? 'down' : 'up', lastRunAt },
      outboundProxy: proxy && {
        status: proxyFailure ? 'down' : 'up',
        error: proxyFailure?.error ?? null,
      },
      auditLog: { status: isVerified ? 'up' : 'down', verifiedAt },
      encryption: { status: isReadable ? 'up' : 'down', unreadableAt },
      version,
      uptimeSeconds: Math.floor(process.uptime()),
    };
  }

  return {
    /** Cached for a second, because requests need no key and must not multiply the probes. */
    check: cached(probeAll, MAX_AGE_MS, () => clock.now().getTime()),
  };
}

export type HealthService = ReturnType<typeof healthService>;

/** Returns the value and its latency; null if `work` failed or timed out. */
function probe<T>(work: () => Promise<T>): Promise<{ value: T; latencyMs: number } | null> {
  const startedAt = performance.now();
  return nullAfter(PROBE_TIMEOUT_MS, async () => {
    const value = await work();
    return { value, latencyMs: Math.round(performance.now() - startedAt) };
  });
}
