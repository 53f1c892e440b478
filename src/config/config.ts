import { hostname } from 'node:os';
import { z } from 'zod';
import { LIMITS } from '../limits/limits.ts';
import type { RateLimit } from '../limits/shared-quota.ts';
import type { TenantMaxima } from '../limits/tenant-limits.ts';
import { DEFAULT_BLOCKED_PORTS } from '../outbound/blocked-ports.ts';
import type { ProxySettings } from '../outbound/proxy.ts';
import type { AddressRange } from '../platform/address-ranges.ts';
import { isLoopbackHost } from '../platform/http/loopback-host.ts';
import type { TracingConfig } from '../platform/tracing/tracing.ts';
import { fromCommand, inFile, readSecrets } from './secret-sources.ts';
import {
  addressRanges,
  baseUrl,
  bypassRules,
  type CorsOrigins,
  type CurrentWindow,
  corsOrigins,
  currentWindow,
  type DriftThreshold,
  directory,
  driftReference,
  driftThreshold,
  duration,
  encryptionKeys,
  file,
  flag,
  host,
  integer,
  mongodbUri,
  type OutcomeDelay,
  oneOf,
  outcomeDelay,
  periods,
  ports,
  proxyUrl,
  type ReferenceSetting,
  rateLimit,
  type Schedule,
  schedule,
  threeDurations,
  token,
  workerCount,
} from './values.ts';

export type { CorsOrigins, CurrentWindow, Schedule } from './values.ts';

type Environment = Record<string, string | undefined>;

export const ROLES = ['all', 'api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

/** Names of the provider adapters; `registerAdapter` adds others. */
export const recorderProviders = new Set(['standard', 'fathom']);

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const DOCUMENT_POLICIES = ['any', 'trusted'] as const;
/** GraphQL documents that the service executes: `any`, or only the console's own (`trusted`). */
export type DocumentPolicy = (typeof DOCUMENT_POLICIES)[number];

const NAME_RESOLVERS = ['service', 'proxy'] as const;

const VERIFICATION_POLICIES = ['optional', 'required'] as const;
/** Whose webhook URLs are verified: customers with `verifyEndpoints`, or all. */
type VerificationPolicy = (typeof VERIFICATION_POLICIES)[number];

/** The service's configuration. Durations are in milliseconds. */
export interface Config {
  /** `NODE_ENV=production`. */
  production: boolean;
  /** `MONGODB_URI` is not set: the service starts its own database with demo data and keys. */
  embedded: boolean;
  /** `HOST` is a loopback address. On any other address, no page contains a key. */
  loopback: boolean;
  host: string;
  port: number;
  /** Base URL under which clients reach the service, without a trailing slash. */
  publicUrl: string;
  role: Role;
  /** Number of worker processes; 1 means that this process serves by itself. */
  workers: number;
  logLevel: LogLevel;
  /** Null in embedded mode. */
  mongodbUri: string | null;
  /** Path of the `mongod` to use; null to search for one. */
  mongodBinary: string | null;
  /** `PATH`, searched for `mongod`. */
  searchPath: string;
  /** Absolute path of the directory with the embedded database, the cached binary, the demo keys and a generated encryption key. */
  dataDir: string;
  /** Without a trailing slash; null if not configured: embedded mode then starts the reference sidecar. */
  mlSidecarUrl: string | null;
  /** Bearer token of the sidecar; null if not set. */
  mlSidecarToken: string | null;
  mlSidecarTimeoutMs: number;
  driftThreshold: DriftThreshold;
  /** Null if a drift check uses all current samples. */
  driftCurrentWindow: CurrentWindow | null;
  /** Null if an unknown outcome counts as missing at once. */
  driftOutcomeDelay: OutcomeDelay | null;
  driftReference: ReferenceSetting;
  /** Null if scheduled checks are off. */
  driftCheckSchedule: Schedule | null;
  /** Without a trailing slash; null if not configured: connector operations fail with `NOT_CONFIGURED`. */
  recorderApiUrl: string | null;
  recorderProvider: string;
  connectorPacingMs: number;
  /** Null if the recurring sync is off. */
  meetingSyncSchedule: Schedule | null;
  /** 64 hexadecimal digits each; the first encrypts, all decrypt. Null if not set: see `loadOrCreateEncryptionKey`. */
  encryptionKeys: string[] | null;
  /** Delays before attempts 3, 4 and 5. */
  webhookRetryDelaysMs: readonly [number, number, number];
  webhookTimeoutMs: number;
  /** Allows webhooks to `http:`, loopback and private addresses. */
  webhookAllowPrivateTargets: boolean;
  /** Private ranges that webhooks may reach, with `http:` as well. */
  webhookAllowedSubnets: readonly AddressRange[];
  /** Ports that receive no webhooks. */
  webhookBlockedPorts: ReadonlySet<number>;
  webhookVerification: VerificationPolicy;
  /** Proxy of requests to customers' targets and to the meeting provider; null for direct connections. */
  outboundProxy: ProxySettings | null;
  webhookConcurrency: number;
  /** At most `webhookConcurrency`. */
  webhookConcurrencyPerTenant: number;
  /** At most `webhookConcurrencyPerTenant`. */
  webhookConcurrencyPerEndpoint: number;
  deliveryRetentionMs: number;
  /** Validity of an API key that is created without an expiry time; null if it does not expire. */
  apiKeyExpiryMs: number | null;
  /** Times before the expiry of an API key at which its reminders are due; empty for none. */
  apiKeyRemindersMs: readonly number[];
  /** True to encrypt the personal fields of new data. */
  piiEncryption: boolean;
  /** Null if custom events are not removed. */
  customEventRetentionMs: number | null;
  /** Maximum number of documents that a tenant may store. */
  tenantMaxima: TenantMaxima;
  /** Null if the request rate is not limited. */
  rateLimit: RateLimit | null;
  /** Maximum number of open connections, over all workers. */
  httpMaxConnections: number;
  /** Maximum number of open connections from one IPv4 address or IPv6 /64, over all workers. */
  httpMaxConnectionsPerAddress: number;
  /** Maximum number of requests of one API key in execution, over all workers. */
  httpMaxRequestsPerKey: number;
  /** Proxies whose forwarding headers are trusted. */
  trustedProxies: readonly AddressRange[];
  graphqlDocuments: DocumentPolicy;
  /** Origins whose scripts may call the APIs. */
  corsOrigins: CorsOrigins;
  metrics: boolean;
  /** Bearer token that `GET /metrics` requires; null to serve metrics on loopback only. */
  metricsToken: string | null;
  /** Port of a second listener with metrics and health only; null for none. */
  metricsPort: number | null;
  /** Null if OpenTelemetry's standard variables do not enable tracing. */
  tracing: TracingConfig | null;
}

/** Bounded, because counting a tenant's documents must finish within the time limit of reads. */
const tenantMaximum = () => integer(1, 5_000_000).optional();

/** Returns the schema of all variables. Production requires some that otherwise have generated values. */
const variables = (production: boolean) => {
  const required = <T extends z.ZodType>(schema: T) => (production ? schema : schema.optional());
  return z.object({
    HOST: host().default('127.0.0.1'),
    PORT: integer(0, 65_535).default(4000),
    PUBLIC_URL: baseUrl().optional(),
    ROLE: oneOf(ROLES).default('all'),
    WORKERS: workerCount().default(1),
    LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
    MONGODB_URI: required(mongodbUri()),
    MONGOD_BINARY: file().optional(),
    DATA_DIR: directory().prefault('.data'),
    ML_SIDECAR_URL: baseUrl().optional(),
    ML_SIDECAR_TOKEN: token().optional(),
    ML_SIDECAR_TIMEOUT: duration({ max: '10m' }).prefault('3s'),
    DRIFT_THRESHOLD: driftThreshold().prefault('0.2'),
    DRIFT_CURRENT_WINDOW: currentWindow().optional(),
    DRIFT_OUTCOME_DELAY: outcomeDelay().optional(),
    DRIFT_REFERENCE: driftReference().prefault('fixed'),
    DRIFT_CHECK_SCHEDULE: schedule().prefault('0 * * * *'),
    RECORDER_API_URL: baseUrl().optional(),
    RECORDER_PROVIDER: oneOf([...recorderProviders]).default('standard'),
    // The provider allows 60 requests per minute; fake providers in tests have no such limit.
    CONNECTOR_PACING: duration({ min: production ? '1200ms' : '0ms', max: '10m' }).prefault('1250ms'),
    MEETING_SYNC_SCHEDULE: schedule().prefault('1 hour'),
    CONNECTOR_ENCRYPTION_KEY: required(encryptionKeys({ strong: production })),
    WEBHOOK_RETRY_DELAYS: threeDurations().prefault('5m,30m,2h'),
    // The lease of an attempt exceeds two timeouts and expires within 30 s.
    WEBHOOK_TIMEOUT: duration({ max: '12s' }).prefault('5s'),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: flag('true', 'false').optional(),
    WEBHOOK_ALLOWED_SUBNETS: addressRanges().optional(),
    WEBHOOK_BLOCKED_PORTS: ports().optional(),
    WEBHOOK_VERIFICATION: oneOf(VERIFICATION_POLICIES).default('optional'),
    OUTBOUND_PROXY: proxyUrl().optional(),
    OUTBOUND_PROXY_DNS: oneOf(NAME_RESOLVERS).default('service'),
    NO_PROXY: bypassRules().optional(),
    WEBHOOK_CONCURRENCY: integer(1, 10_000).default(256),
    WEBHOOK_CONCURRENCY_PER_TENANT: integer(1, 10_000).optional(),
    WEBHOOK_CONCURRENCY_PER_ENDPOINT: integer(1, 10_000).default(16),
    DELIVERY_RETENTION: duration().prefault('30d'),
    CUSTOM_EVENT_RETENTION: duration().optional(),
    API_KEY_EXPIRY: duration().optional(),
    API_KEY_REMINDERS: periods().prefault('30d,7d,1d'),
    PII_ENCRYPTION: flag('on', 'off').prefault('off'),
    TENANT_MAX_STORED_EVENTS: tenantMaximum(),
    TENANT_MAX_CONVERSATIONS: tenantMaximum(),
    TENANT_MAX_MEETINGS: tenantMaximum(),
    TENANT_MAX_CUSTOM_EVENTS: tenantMaximum(),
    RATE_LIMIT: rateLimit().prefault(LIMITS.quota.default),
    HTTP_MAX_CONNECTIONS: integer(1, 1_000_000).default(LIMITS.connections.default),
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000).default(LIMITS.connectionsPerAddress.default),
    HTTP_MAX_REQUESTS_PER_KEY: integer(1, 100_000).default(LIMITS.runningRequests.default),
    TRUSTED_PROXIES: addressRanges().optional(),
    GRAPHQL_DOCUMENTS: oneOf(DOCUMENT_POLICIES).default('any'),
    CORS_ORIGINS: corsOrigins().optional(),
    METRICS: flag('on', 'off').prefault('on'),
    METRICS_TOKEN: token().optional(),
    METRICS_PORT: integer(0, 65_535).optional(),
  });
};

/**
 * Invalid variables. `message` has one line per variable with its name, the problem and the accepted values, and never
 * contains a secret.
 */
export class ConfigError extends Error {
  readonly problems: readonly { variable: string; message: string }[];

  constructor(problems: ConfigError['problems']) {
    super(problems.map(({ variable, message }) => `${variable}: ${message}`).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Exit code of a process that ends with a `ConfigError` (`EX_CONFIG` of sysexits.h). */
export const EXIT_CONFIG = 78;

/** Returns the base URL of an HTTP server. */
export const addressOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Returns true for a listen address that names no host. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Evaluates OpenTelemetry's standard variables. They are not validated here: the SDK has its own defaults. */
function tracing(given: Environment): TracingConfig | null {
  const exporters = given.OTEL_TRACES_EXPORTER?.split(',').map((name) => name.trim());
  const target = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporters?.includes('none')) return null;
  if (!exporters && !target) return null;
  const named =
    given.OTEL_SERVICE_NAME ?? /(^|,)\s*service\.name=/.exec(given.OTEL_RESOURCE_ATTRIBUTES ?? '');
  return { serviceName: named ? null : 'engagement' };
}

/** Trims all values and treats a blank value as unset. */
const normalize = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined]));

const SECRET_SOURCES = [
  ...['MONGODB_URI', 'ML_SIDECAR_TOKEN', 'CONNECTOR_ENCRYPTION_KEY', 'METRICS_TOKEN', 'OUTBOUND_PROXY'].map(
    inFile,
  ),
  fromCommand('KEY_PROVIDER', 'CONNECTOR_ENCRYPTION_KEY'),
];

/**
 * Parses the configuration from `env` and ignores unknown variables.
 *
 * @throws ConfigError
 */
export function loadConfig(env: Environment): Config {
  const given = normalize(env);
  const production = given.NODE_ENV === 'production';
  const secrets = readSecrets(given, SECRET_SOURCES);
  const values = { ...given, ...secrets.values };
  // A machine may set it for other programs, in their syntax.
  if (values.OUTBOUND_PROXY === undefined) values.NO_PROXY = undefined;
  const parsed = variables(production).safeParse(values);
  const invalid = (parsed.error?.issues ?? []).flatMap(({ path, message }) => {
    const name = String(path[0]);
    const variable = secrets.origins[name] ?? name;
    const isUnread = secrets.problems.some((problem) => problem.variable === variable);
    return isUnread ? [] : [{ variable, message: message.replace(/\s+/g, ' ') }];
  });
  if (!parsed.success || secrets.problems.length > 0)
    throw new ConfigError([...secrets.problems, ...invalid]);

  const set = parsed.data;
  if (set.METRICS_PORT && set.METRICS_PORT === set.PORT && set.ROLE !== 'worker')
    throw new ConfigError([
      { variable: 'METRICS_PORT', message: `"${set.PORT}" is PORT as well; accepted: another port` },
    ]);
  const embedded = set.MONGODB_URI === undefined;
  const loopback = isLoopbackHost(set.HOST);
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
    publicUrl: set.PUBLIC_URL ?? addressOf(isWildcard(set.HOST) ? hostname() : set.HOST, set.PORT),
    role: set.ROLE,
    workers: set.WORKERS,
    logLevel: set.LOG_LEVEL,
    mongodbUri: set.MONGODB_URI ?? null,
    mongodBinary: set.MONGOD_BINARY ?? null,
    searchPath: given.PATH ?? '',
    dataDir: set.DATA_DIR,
    mlSidecarUrl: set.ML_SIDECAR_URL ?? null,
    mlSidecarToken: set.ML_SIDECAR_TOKEN ?? null,
    mlSidecarTimeoutMs: set.ML_SIDECAR_TIMEOUT,
    driftThreshold: set.DRIFT_THRESHOLD,
    driftCurrentWindow: set.DRIFT_CURRENT_WINDOW ?? null,
    driftOutcomeDelay: set.DRIFT_OUTCOME_DELAY ?? null,
    driftReference: set.DRIFT_REFERENCE,
    driftCheckSchedule: set.DRIFT_CHECK_SCHEDULE,
    recorderApiUrl: set.RECORDER_API_URL ?? null,
    recorderProvider: set.RECORDER_PROVIDER,
    connectorPacingMs: set.CONNECTOR_PACING,
    meetingSyncSchedule: set.MEETING_SYNC_SCHEDULE,
    encryptionKeys: set.CONNECTOR_ENCRYPTION_KEY ?? null,
    webhookRetryDelaysMs: set.WEBHOOK_RETRY_DELAYS,
    webhookTimeoutMs: set.WEBHOOK_TIMEOUT,
    // Embedded mode is for evaluation on one machine, where webhook receivers have loopback addresses.
    webhookAllowPrivateTargets:
      set.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? (embedded && loopback && !set.WEBHOOK_ALLOWED_SUBNETS),
    webhookAllowedSubnets: set.WEBHOOK_ALLOWED_SUBNETS ?? [],
    webhookBlockedPorts: set.WEBHOOK_BLOCKED_PORTS ?? DEFAULT_BLOCKED_PORTS,
    webhookVerification: set.WEBHOOK_VERIFICATION,
    outboundProxy: set.OUTBOUND_PROXY
      ? {
          ...set.OUTBOUND_PROXY,
          bypass: set.NO_PROXY ?? [],
          resolvesNames: set.OUTBOUND_PROXY_DNS === 'proxy',
        }
      : null,
    webhookConcurrency: concurrency,
    webhookConcurrencyPerTenant: perTenant,
    webhookConcurrencyPerEndpoint: Math.min(set.WEBHOOK_CONCURRENCY_PER_ENDPOINT, perTenant),
    deliveryRetentionMs: set.DELIVERY_RETENTION,
    apiKeyExpiryMs: set.API_KEY_EXPIRY ?? null,
    apiKeyRemindersMs: set.API_KEY_REMINDERS,
    piiEncryption: set.PII_ENCRYPTION,
    customEventRetentionMs: set.CUSTOM_EVENT_RETENTION ?? null,
    tenantMaxima: {
      storedEvents: set.TENANT_MAX_STORED_EVENTS ?? null,
      conversations: set.TENANT_MAX_CONVERSATIONS ?? null,
      meetings: set.TENANT_MAX_MEETINGS ?? null,
      customEvents: set.TENANT_MAX_CUSTOM_EVENTS ?? null,
    },
    rateLimit: set.RATE_LIMIT,
    httpMaxConnections: set.HTTP_MAX_CONNECTIONS,
    httpMaxConnectionsPerAddress: set.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
    httpMaxRequestsPerKey: set.HTTP_MAX_REQUESTS_PER_KEY,
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    graphqlDocuments: set.GRAPHQL_DOCUMENTS,
    corsOrigins: set.CORS_ORIGINS ?? [],
    metrics: set.METRICS,
    metricsToken: set.METRICS_TOKEN ?? null,
    metricsPort: set.METRICS_PORT ?? null,
    tracing: tracing(given),
  };
}

/**
 * Reads one secret of this process that is not part of `Config`.
 *
 * @throws ConfigError
 */
export function readSecret(name: string): string | undefined {
  const given = normalize(process.env);
  const { values, problems } = readSecrets(given, [inFile(name)]);
  if (problems.length > 0) throw new ConfigError(problems);
  return values[name] ?? given[name];
}

/**
 * Reads the configuration of this process from its environment; no other module reads the environment.
 *
 * @param overrides replace variables of the environment (command-line flags)
 * @param defaults apply to variables that are not set
 * @throws ConfigError
 */
export const readConfig = (overrides: Environment = {}, defaults: Environment = {}): Config =>
  loadConfig({ ...defaults, ...process.env, ...overrides });
