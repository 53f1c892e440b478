import type { Schemas } from '../../schema/index.ts';
import type { Config } from '../config/config.ts';
import type { Services } from '../features/services.ts';
import type { Scope } from '../features/tenants/scopes.ts';
import type { ConnectionLimit } from '../limits/connection-limits.ts';
import type { KeyQueueObserver } from '../limits/key-limits.ts';
import type { CountFailure } from '../limits/rate-limits.ts';
import type { UnsentResponseObserver } from '../limits/unsent-responses.ts';
import type { Logger } from '../platform/logger.ts';
import type { Outage } from '../platform/mongo/outages.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { ResponseSummary } from './request-log.ts';

/** Renders all metrics in the Prometheus text format, with its content type (prom-client's `Registry`). */
export type RenderMetrics = () => Promise<{ contentType: string; text: string }>;

/** Options of a server for metrics and health only. */
export interface ProbeOptions {
  services: Pick<Services, 'health'>;
  log: Logger;
  config: Pick<
    Config,
    'loopback' | 'metricsToken' | 'trustedProxies' | 'httpMaxConnections' | 'httpMaxConnectionsPerAddress'
  >;
  /** Renders `GET /metrics`; absent if `METRICS=off`. */
  metrics?: RenderMetrics;
}

/** Demo keys that GraphiQL's page contains in exchange for a token. */
export interface DemoPage {
  /** Path of the file with the keys. */
  keysFile: string;
  keys: Record<Scope, string>;
  /** Returns true for the token, once. */
  useToken(token: string): Promise<boolean>;
}

export interface HttpServerOptions extends ProbeOptions, UnsentResponseObserver, KeyQueueObserver {
  services: Services;
  schemas: Schemas;
  config: ProbeOptions['config'] &
    Pick<Config, 'host' | 'port' | 'httpMaxRequestsPerKey' | 'graphqlDocuments' | 'corsOrigins'>;
  /** Count of failed authentications that this process shares with others; its own by default. */
  countFailure?: CountFailure;
  /** Ends the wait of requests for an unavailable database. */
  outages: Pick<Outage, 'guard'>;
  /** Null or absent outside of embedded mode on loopback (contract 1). */
  demo?: DemoPage | null;
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
