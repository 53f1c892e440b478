import { type AddressRange, parseAddress, withinRanges } from '../platform/address-ranges.ts';
import type { ServerVulnerability } from '../platform/mongo/server-vulnerability.ts';
import type { Config } from './config.ts';

/** A valid setting that weakens the service. `problem` completes a sentence whose subject is the variable. */
export interface ConfigRisk {
  variable: string;
  problem: string;
  action: string;
}

/** Detected by a query: the connection string does not show whether the database requires authentication. */
export const UNAUTHENTICATED_DATABASE: ConfigRisk = {
  variable: 'MONGODB_URI',
  problem:
    'names a database without authentication: every client that reaches it can read and change all data',
  action: 'Enable authentication in MongoDB and add the credentials to MONGODB_URI.',
};

/** Returns the risk of a server with CVE-2025-14847; null if the server has the fix or rejects zlib. */
export const vulnerableServer = (found: ServerVulnerability | null): ConfigRisk | null =>
  found?.acceptsZlib
    ? {
        variable: 'MONGODB_URI',
        problem: `names MongoDB ${found.version} with CVE-2025-14847: every client that reaches it can read its memory with zlib messages, without authentication`,
        action: `Upgrade MongoDB to ${found.fixedVersion} or newer, or start it without zlib (net.compression.compressors: snappy,zstd).`,
      }
    : null;

/** The risk of a sidecar that listens beyond loopback without a token. */
export const UNAUTHENTICATED_SIDECAR: ConfigRisk = {
  variable: 'ML_SIDECAR_TOKEN',
  problem: 'is not set: every client that reaches the sidecar can read, add and delete samples',
  action: 'Set ML_SIDECAR_TOKEN to the same value for the sidecar and the service.',
};

/** True for a range that contains the metadata address of most clouds, or of AWS over IPv6. */
const hasMetadataAddress = (range: AddressRange): boolean =>
  ['169.254.169.254', 'fd00:ec2::254'].some((text) => {
    const address = parseAddress(text);
    return address !== null && withinRanges([range])(address);
  });

/** Returns the settings that an operator should reconsider. Embedded mode on loopback is for evaluation. */
export function configRisks(config: Config): ConfigRisk[] {
  const { rateLimit, webhookAllowPrivateTargets, recorderApiUrl, embedded, loopback } = config;
  const { mlSidecarUrl, mlSidecarToken, outboundProxy, webhookAllowedSubnets } = config;
  const evaluation = embedded && loopback;
  const plain = (url: string | null) => !evaluation && url?.startsWith('http:');
  const risks: (ConfigRisk | false | undefined)[] = [
    rateLimit === null && {
      variable: 'RATE_LIMIT',
      problem: 'is off: neither requests nor failed authentications are limited',
      action: 'Unset RATE_LIMIT or set it to a limit such as 60000/min.',
    },
    webhookAllowPrivateTargets &&
      !evaluation && {
        variable: 'WEBHOOK_ALLOW_PRIVATE_TARGETS',
        problem: 'is true: customers can send webhooks to http:, loopback and private addresses',
        action: 'Unset WEBHOOK_ALLOW_PRIVATE_TARGETS.',
      },
    webhookAllowPrivateTargets &&
      webhookAllowedSubnets.length > 0 && {
        variable: 'WEBHOOK_ALLOWED_SUBNETS',
        problem: 'has no effect: WEBHOOK_ALLOW_PRIVATE_TARGETS=true permits all addresses',
        action: 'Unset WEBHOOK_ALLOW_PRIVATE_TARGETS.',
      },
    webhookAllowedSubnets.some(hasMetadataAddress) && {
      variable: 'WEBHOOK_ALLOWED_SUBNETS',
      problem:
        'contains the address of a metadata service: customers can send webhooks to the metadata service of the cloud',
      action: 'Remove the range from WEBHOOK_ALLOWED_SUBNETS.',
    },
    outboundProxy?.resolvesNames &&
      !webhookAllowPrivateTargets && {
        variable: 'OUTBOUND_PROXY_DNS',
        problem: 'is proxy: the service does not check the addresses of host names',
        action: 'Let the proxy refuse private addresses, or unset OUTBOUND_PROXY_DNS.',
      },
    plain(recorderApiUrl) && {
      variable: 'RECORDER_API_URL',
      problem: 'is an http: URL: provider keys and meetings are sent unencrypted',
      action: 'Use an https: URL for RECORDER_API_URL unless the provider runs on this machine.',
    },
    plain(mlSidecarUrl) && {
      variable: 'ML_SIDECAR_URL',
      problem: `is an http: URL: requests to the sidecar${mlSidecarToken === null ? '' : ' and its token'} are sent unencrypted`,
      action: 'Use an https: URL for ML_SIDECAR_URL unless the sidecar runs on this machine.',
    },
  ];
  return risks.filter((risk) => typeof risk === 'object');
}
