import type { DemoAddresses } from '../../demo/demo-servers.ts';
import type { RunningDemo } from '../../demo/ensure-demo.ts';
import type { Health } from '../../features/health/health.service.ts';
import type { FailureWindow } from '../../limits/rate-limits.ts';
import type { SerializedMetrics } from '../../platform/metrics/service-metrics.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';

/** Settings that the primary determines; they override the configuration. */
export interface WorkerSettings {
  /** Number of the worker, from 1. */
  worker: number;
  /** The port that the workers share. */
  port: number;
  mongodbUri: string | null;
  sidecarAddress: SidecarAddress | null;
  /** Null outside of embedded mode, and for the first worker, which creates the demo data. */
  demo: RunningDemo | null;
  /** Null outside of embedded mode. */
  demoAddresses: DemoAddresses | null;
}

/** Announces that a worker serves. */
export interface WorkerReady {
  url: string;
  demo: RunningDemo | null;
}

/** Calls that a worker makes to the primary. */
export type PrimaryCalls = {
  settings(argument: null): WorkerSettings;
  ready(report: WorkerReady): void;
  /** Renders the metrics of all workers. */
  metrics(argument: null): Promise<{ contentType: string; text: string }>;
  countFailure(network: string): FailureWindow;
};

/** Calls that the primary makes to a worker. */
export type WorkerCalls = {
  /** Stops the worker as a signal does. */
  stop(limit: { graceMs: number }): void;
  metrics(argument: null): Promise<SerializedMetrics>;
  health(argument: null): Promise<Health>;
};
