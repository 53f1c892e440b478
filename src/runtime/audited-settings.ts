import type { Config } from '../config/config.ts';
import type { AuditState } from '../features/audit/audit.types.ts';
import type { AddressRange } from '../platform/address-ranges.ts';

/**
 * What the audit log shows of a setting: its `value`; for secrets, and for URLs that can contain one, whether it is `set`;
 * `process` for settings of a process or a machine, which differ between processes of one service.
 */
const SHOWN: Readonly<Record<keyof Config, 'value' | 'set' | 'process'>> = {
  production: 'value',
  embedded: 'value',
  loopback: 'process',
  host: 'process',
  port: 'process',
  publicUrl: 'process',
  role: 'process',
  workers: 'process',
  logLevel: 'process',
  mongodbUri: 'set',
  mongodBinary: 'process',
  searchPath: 'process',
  dataDir: 'process',
  mlSidecarUrl: 'set',
  mlSidecarToken: 'set',
  mlSidecarTimeoutMs: 'value',
  driftThreshold: 'value',
  driftCurrentWindow: 'value',
  driftOutcomeDelay: 'value',
  driftReference: 'value',
  driftCheckSchedule: 'value',
  recorderApiUrl: 'set',
  recorderProvider: 'value',
  connectorPacingMs: 'value',
  meetingSyncSchedule: 'value',
  apiKeyExpiryMs: 'value',
  apiKeyRemindersMs: 'value',
  encryptionKeys: 'set',
  piiEncryption: 'value',
  webhookRetryDelaysMs: 'value',
  webhookTimeoutMs: 'value',
  webhookAllowPrivateTargets: 'value',
  webhookAllowedSubnets: 'value',
  webhookBlockedPorts: 'value',
  webhookVerification: 'value',
  outboundProxy: 'set',
  webhookConcurrency: 'process',
  webhookConcurrencyPerTenant: 'process',
  webhookConcurrencyPerEndpoint: 'process',
  deliveryRetentionMs: 'value',
  customEventRetentionMs: 'value',
  tenantMaxima: 'value',
  rateLimit: 'value',
  httpMaxConnections: 'process',
  httpMaxConnectionsPerAddress: 'value',
  httpMaxRequestsPerKey: 'value',
  trustedProxies: 'value',
  graphqlDocuments: 'value',
  corsOrigins: 'value',
  metrics: 'value',
  metricsToken: 'set',
  metricsPort: 'process',
  tracing: 'set',
};

const rangesText = (ranges: readonly AddressRange[]) =>
  ranges.map(([address, bits]) => `${address.toString()}/${bits}`);

function shown(config: Config, name: keyof Config): unknown {
  const value = config[name];
  if (SHOWN[name] === 'set') return value === null ? 'not set' : 'set';
  if (value instanceof Set) return [...value].toSorted();
  if (name === 'webhookAllowedSubnets' || name === 'trustedProxies') return rangesText(config[name]);
  return value;
}

/**
 * Returns the settings whose changes the audit log records: those of the whole service, without secrets. An encryption key
 * has an id, which ciphertexts contain as well.
 */
export const auditedSettings = (config: Config, encryptionKeyIds: readonly string[]): AuditState => ({
  ...Object.fromEntries(
    (Object.keys(SHOWN) as (keyof Config)[])
      .filter((name) => SHOWN[name] !== 'process')
      .map((name) => [name, shown(config, name)]),
  ),
  encryptionKeyIds,
});
