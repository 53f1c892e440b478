import type { Registry } from 'prom-client';
import { cached } from '../cached.ts';
import { nullAfter } from '../null-after.ts';
import { storedGauge } from './stored-gauge.ts';

/** Returns the last verification of all audit logs; before the first one, the start of this process, without findings. */
export type LastVerification = () => Promise<{ at: Date; findings: number }>;

/** How long the last verification is cached. */
const MAX_AGE_MS = 5_000;
/** Timeout of its query, below the 10 s scrape timeout of Prometheus. */
const TIMEOUT_MS = 2_000;

/** Registers the gauges of the audit logs, which all processes share. */
export function auditGauges(registers: Registry[], lastVerification: LastVerification): void {
  const last = cached(() => nullAfter(TIMEOUT_MS, lastVerification), MAX_AGE_MS);
  storedGauge({
    name: 'engagement_audit_findings',
    help: 'Deviations of the audit logs from what was written, as the last verification by any process found.',
    registers,
    read: async () => (await last())?.findings ?? null,
  });
  storedGauge({
    name: 'engagement_audit_verified_timestamp_seconds',
    help: 'Unix time of the last verification of all audit logs by any process; before the first one, the start of this process.',
    registers,
    async read() {
      const verification = await last();
      return verification && verification.at.getTime() / 1000;
    },
  });
}
