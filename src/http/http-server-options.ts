import type { Schemas } from '../../schema/index.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Services } from '../services.ts';
import type { ConnectionLimit } from './connection-limits.ts';
import type { RenderMetrics } from './metrics-endpoint.ts';
import type { ResponseSummary } from './request-log.ts';

export interface HttpServerOptions {
  services: Services;
  schemas: Schemas;
  log: Logger;
  config: Pick<
    Config,
    | 'host'
    | 'port'
    | 'loopback'
    | 'rateLimit'
    | 'trustedProxies'
    | 'metricsToken'
    | 'httpMaxConnections'
    | 'httpMaxConnectionsPerAddress'
    | 'httpMaxRequestsPerKey'
  >;
  /** Prefilled in GraphiQL; null or absent outside of embedded mode on loopback (contract 1). */
  demoReadKey?: string | null;
  /** Renders `GET /metrics`; absent if `METRICS=off`. */
  metrics?: RenderMetrics;
  /** Called after every response, for the metrics. */
  onResponse?(summary: ResponseSummary): void;
  /** Called for every connection that exceeds a limit. */
  onConnectionRefused?(limit: ConnectionLimit): void;
  /** Called for every connection that is closed because its client does not read. */
  onStalledConnection?(): void;
  /** Time without progress after which unsent data closes a connection; 30 s by default. */
  writeTimeoutMs?: number;
  /** Interval at which the keys of open streams are checked; 30 s by default. Milliseconds. */
  streamCheckIntervalMs?: number;
  /** Null or absent if tracing is not configured. */
  tracing?: Tracing | null;
}
