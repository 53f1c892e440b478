import { Gauge, type Registry } from 'prom-client';
import type { Outages } from '../mongo/outages.ts';

/** Registers the gauges of the database, as this process sees it. */
export function databaseGauges(registers: Registry[], { primary, writes, majorityLagMs }: Outages): void {
  new Gauge({
    name: 'engagement_database_available',
    help: '1 while this process can read (operation: read) or write durably (operation: write), otherwise 0.',
    labelNames: ['operation'],
    registers,
    collect() {
      this.set({ operation: 'read' }, primary.isOut() ? 0 : 1);
      this.set({ operation: 'write' }, writes.isOut() ? 0 : 1);
    },
  });
  new Gauge({
    name: 'engagement_database_majority_lag_seconds',
    help: 'Time for which a majority of the replica set has not acknowledged a write of the primary; 0 on a sharded cluster.',
    registers,
    collect() {
      this.set(majorityLagMs() / 1000);
    },
  });
}
