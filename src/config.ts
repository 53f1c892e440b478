import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  baseUrl,
  decimal,
  directory,
  duration,
  encryptionKeys,
  file,
  flag,
  host,
  integer,
  mongodbUri,
  oneOf,
  type RateLimit,
  rateLimit,
  type Schedule,
  schedule,
  threeDurations,
  token,
} from './config.values.ts';

import { DEFAULT_RETRY_DELAYS } from './features/webhooks/delivery/retry-policy.ts';

export type { RateLimit, Schedule } from './config.values.ts';

type Environment = Record<string, string | undefined>;

export const ROLES = ['all', 'api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Traces are asked for; where they go is read by OpenTelemetry itself. */
export interface TracingConfig {
  /** `service.name` of what is sent; null: a standard variable has it. */
  serviceName: string | null;
}

/** Everything that can be set, typed; the meaning of each variable is contract 2. Durations are in milliseconds. */
export interface Config {
  /** `NODE_ENV=production`. */
  production: boolean;
  /** No `MONGODB_URI`: the service starts a database of its own, with demo data and keys. */
  embedded: boolean;
  /** `HOST` is this machine only. Anywhere else, pages fill in no key. */
  loopback: boolean;
  host: string;
  port: number;
  role: Role;
  logLevel: LogLevel;
  /** Null: embedded. */
  mongodbUri: string | null;
  /** A `mongod` to use before any other; null: look for one. */
  mongodBinary: string | null;
  /** Value of `PATH`: where a `mongod` is looked for. */
  searchPath: string;
  /** Absolute path of the embedded database, the cached binary, the demo keys and a generated encryption key. */
  dataDir: string;
  /** Without a slash at its end; null: the reference sidecar in embedded mode, else not configured. */
  mlSidecarUrl: string | null;
  mlSidecarTimeoutMs: number;
  driftThreshold: number;
  /** Null: no scheduled checks. */
  driftCheckSchedule: Schedule | null;
  /** Without a slash at its end; null: connector procedures answer `NOT_CONFIGURED`. */
  recorderApiUrl: string | null;
  connectorPacingMs: number;
  /** Null: no recurring sync. */
  meetingSyncSchedule: Schedule | null;
  /** 64 hexadecimal digits each; the first encrypts, all decrypt. Null: see `loadOrCreateEncryptionKey`. */
  encryptionKeys: string[] | null;
  /** Before attempts 3, 4 and 5. */
  webhookRetryDelaysMs: readonly [number, number, number];
  webhookTimeoutMs: number;
  /** Webhooks may go to `http:`, loopback and private addresses. */
  webhookAllowPrivateTargets: boolean;
  webhookConcurrency: number;
  /** At most `webhookConcurrency`. */
  webhookConcurrencyPerTenant: number;
  /** At most `webhookConcurrencyPerTenant`. */
  webhookConcurrencyPerEndpoint: number;
  deliveryRetentionMs: number;
  /** Null: no limit. */
  rateLimit: RateLimit | null;
  metrics: boolean;
  /** Bearer token of `GET /metrics`; null: the page is served on loopback only. */
  metricsToken: string | null;
  /** Null: OpenTelemetry's standard variables ask for no traces. */
  tracing: TracingConfig | null;
}

/** The table of contract 2. Production needs what anywhere else is made up. */
const variables = (production: boolean) => {
  const needed = <T extends z.ZodType>(schema: T) => (production ? schema : schema.optional());
  return z.object({
    HOST: host().default('127.0.0.1'),
    PORT: integer(0, 65_535).default(4000),
    ROLE: oneOf(ROLES).default('all'),
    LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
    MONGODB_URI: needed(mongodbUri()),
    MONGOD_BINARY: file().optional(),
    DATA_DIR: directory().prefault('.data'),
    ML_SIDECAR_URL: baseUrl().optional(),
    ML_SIDECAR_TIMEOUT: duration({ max: '10m' }).prefault('3s'),
    DRIFT_THRESHOLD: decimal(0, 1).default(0.2),
    DRIFT_CHECK_SCHEDULE: schedule().prefault('0 * * * *'),
    RECORDER_API_URL: baseUrl().optional(),
    // The provider allows 60 requests a minute; a stand-in for tests may be asked faster.
    CONNECTOR_PACING: duration({ min: production ? '1200ms' : '1ms', max: '10m' }).prefault('1250ms'),
    MEETING_SYNC_SCHEDULE: schedule().prefault('1 hour'),
    CONNECTOR_ENCRYPTION_KEY: needed(encryptionKeys()),
    WEBHOOK_RETRY_DELAYS: threeDurations().prefault(DEFAULT_RETRY_DELAYS),
    // The lease of an attempt is longer than two timeouts and runs out within 30 s (contract 6).
    WEBHOOK_TIMEOUT: duration({ max: '12s' }).prefault('5s'),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: flag('true', 'false').optional(),
    WEBHOOK_CONCURRENCY: integer(1, 10_000).default(256),
    WEBHOOK_CONCURRENCY_PER_TENANT: integer(1, 10_000).optional(),
    WEBHOOK_CONCURRENCY_PER_ENDPOINT: integer(1, 10_000).default(16),
    DELIVERY_RETENTION: duration().prefault('30d'),
    RATE_LIMIT: rateLimit().prefault('60000/min'),
    METRICS: flag('on', 'off').prefault('on'),
    METRICS_TOKEN: token().optional(),
  });
};

/** Variables that are wrong. `message` has a line for each: name, what was wrong, what is accepted; no secret. */
export class ConfigError extends Error {
  readonly problems: readonly { variable: string; message: string }[];

  constructor(problems: ConfigError['problems']) {
    super(problems.map(({ variable, message }) => `${variable}: ${message}`).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Exit code of a start that was stopped by a `ConfigError` (`EX_CONFIG` of sysexits.h). */
export const EXIT_CONFIG = 78;

/** The address of what listens there, as browsers write it. */
export const addressOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Whether only this machine can reach what listens at `address`. */
function isLoopback(address: string): boolean {
  if (isIP(address)) return ipaddr.process(address).range() === 'loopback';
  return /^(.+\.)?localhost$/i.test(address);
}

/**
 * Whether OpenTelemetry's standard variables ask for traces. They are not ours to check: the SDK has its own defaults
 * for what is wrong in them.
 */
function tracing(given: Environment): TracingConfig | null {
  const exporters = given.OTEL_TRACES_EXPORTER?.split(',').map((name) => name.trim());
  const target = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporters?.includes('none')) return null;
  if (!exporters && !target) return null;
  const named =
    given.OTEL_SERVICE_NAME ?? /(^|,)\s*service\.name=/.exec(given.OTEL_RESOURCE_ATTRIBUTES ?? '');
  return { serviceName: named ? null : 'engagement' };
}

/** Blank values are unset ones, and blanks around a value do not count. */
const clean = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined]));

/** Reads the configuration out of `env`. Variables that are none of ours are ignored. Throws `ConfigError`. */
export function loadConfig(env: Environment): Config {
  const given = clean(env);
  const production = given.NODE_ENV === 'production';
  const parsed = variables(production).safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({
      variable: String(path[0]),
      message: message.replace(/\s+/g, ' '),
    }));
    throw new ConfigError(problems);
  }

  const set = parsed.data;
  const embedded = set.MONGODB_URI === undefined;
  const loopback = isLoopback(set.HOST);
  const concurrency = set.WEBHOOK_CONCURRENCY;
  const perTenant = Math.min(
    concurrency,
    set.WEBHOOK_CONCURRENCY_PER_TENANT ?? Math.max(1, Math.floor(concurrency / 4)),
  );
  return {
    production,
    embedded,
    loopback,
    host: set.HOST,
    port: set.PORT,
    role: set.ROLE,
    logLevel: set.LOG_LEVEL,
    mongodbUri: set.MONGODB_URI ?? null,
    mongodBinary: set.MONGOD_BINARY ?? null,
    searchPath: given.PATH ?? '',
    dataDir: set.DATA_DIR,
    mlSidecarUrl: set.ML_SIDECAR_URL ?? null,
    mlSidecarTimeoutMs: set.ML_SIDECAR_TIMEOUT,
    driftThreshold: set.DRIFT_THRESHOLD,
    driftCheckSchedule: set.DRIFT_CHECK_SCHEDULE,
    recorderApiUrl: set.RECORDER_API_URL ?? null,
    connectorPacingMs: set.CONNECTOR_PACING,
    meetingSyncSchedule: set.MEETING_SYNC_SCHEDULE,
    encryptionKeys: set.CONNECTOR_ENCRYPTION_KEY ?? null,
    webhookRetryDelaysMs: set.WEBHOOK_RETRY_DELAYS,
    webhookTimeoutMs: set.WEBHOOK_TIMEOUT,
    // Embedded mode is for trying things out on one machine: a receiver beside it is a loopback address.
    webhookAllowPrivateTargets: set.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? (embedded && loopback),
    webhookConcurrency: concurrency,
    webhookConcurrencyPerTenant: perTenant,
    webhookConcurrencyPerEndpoint: Math.min(set.WEBHOOK_CONCURRENCY_PER_ENDPOINT, perTenant),
    deliveryRetentionMs: set.DELIVERY_RETENTION,
    rateLimit: set.RATE_LIMIT,
    metrics: set.METRICS,
    metricsToken: set.METRICS_TOKEN ?? null,
    tracing: tracing(given),
  };
}

/**
 * The configuration of this process: the only place where the environment is read. Throws `ConfigError`.
 * `overrides` win over it (a flag of the command line); `defaults` give way to it.
 */
export const readConfig = (overrides: Environment = {}, defaults: Environment = {}): Config =>
  loadConfig({ ...defaults, ...process.env, ...overrides });
