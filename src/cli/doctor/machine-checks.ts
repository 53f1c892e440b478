import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, ConfigError } from '../../config/config.ts';
import { type ConfigRisk, configRisks } from '../../config/risks.ts';
import type { OutboundError } from '../../outbound/outbound-errors.ts';
import { createProxy } from '../../outbound/proxy.ts';
import { errorCodeOf } from '../../platform/error-code.ts';
import { createLogger } from '../../platform/logger.ts';
import { sidecarAuthorization } from '../../platform/sidecar-address.ts';
import { findSidecar } from '../../runtime/find-sidecar.ts';
import { check, type Finding, fail, messageOf, ok, warn } from './findings.ts';

/** First major version of Node.js that runs TypeScript directly. */
const MIN_NODE_MAJOR = 24;
const GIB = 1024 ** 3;

/** Turns a configuration risk into a warning. */
export const riskFinding = ({ variable, problem, action }: ConfigRisk): Finding =>
  warn('configuration', `${variable} ${problem}`, action);

export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= MIN_NODE_MAJOR) return ok('node', `version ${version}`);
  return fail(
    'node',
    `version ${version} is too old`,
    `Run the command through npm, which provides Node ${MIN_NODE_MAJOR}.`,
  );
}

/** Returns one finding per invalid variable; for a valid configuration `ok`, and one per risk. */
export function checkConfig(config: Config | ConfigError): Finding[] {
  if (!(config instanceof ConfigError)) {
    const mode = config.embedded ? 'embedded mode' : 'MONGODB_URI is set';
    const production = config.production ? ', production' : '';
    return [
      ok('configuration', `valid; ${mode}, role ${config.role}${production}`),
      ...configRisks(config).map(riskFinding),
    ];
  }
  return config.problems.map(({ variable, message }) =>
    fail('configuration', `${variable}: ${message}`, `Correct or unset ${variable}.`),
  );
}

/** Checks the free disk space of `DATA_DIR`; only embedded mode stores much data there. */
export const checkDisk = ({ dataDir, embedded }: Pick<Config, 'dataDir' | 'embedded'>): Promise<Finding> =>
  check('disk', 'Set DATA_DIR to a directory that this user can read and write.', async () => {
    const free = await freeBytes(dataDir);
    const message = `${(free / GIB).toFixed(1)} GiB free for ${dataDir}`;
    const action = 'Free disk space or set DATA_DIR to a directory on another disk.';
    if (free < GIB / 10) return fail('disk', message, action);
    if (embedded && free < GIB) return warn('disk', message, action);
    return ok('disk', message);
  });

/** Returns the free disk space of a directory, or of its nearest existing parent. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if (errorCodeOf(error) !== 'ENOENT' || parent === directory) throw error;
    return freeBytes(parent);
  }
}

/** A path that requires the token and reads stored data. */
const DATA_PATH = '/drift/history?limit=1';

const OUTAGE = 'until then, drift operations fail with SERVICE_UNAVAILABLE.';

/** Checks the configured sidecar; in embedded mode without one, the running service's sidecar. */
export async function checkSidecar(config: Config): Promise<Finding> {
  const { mlSidecarUrl, mlSidecarTimeoutMs, embedded } = config;
  const sidecar = await findSidecar(config);
  if (!sidecar) {
    return ok(
      'sidecar',
      embedded ? 'not running: the service starts the reference sidecar' : 'not configured',
    );
  }
  const action =
    mlSidecarUrl === null
      ? `Wait for the running service to restart its sidecar, and read its log if this persists; ${OUTAGE}`
      : `Start the sidecar or correct ML_SIDECAR_URL; ${OUTAGE}`;
  return check('sidecar', action, async () => {
    const get = async (path: string): Promise<Response> => {
      const signal = AbortSignal.timeout(mlSidecarTimeoutMs);
      const headers = sidecarAuthorization(sidecar);
      const response = await fetch(sidecar.url + path, { headers, signal, redirect: 'error' });
      await response.body?.cancel();
      return response;
    };
    const start = performance.now();
    const health = await get('/health');
    const durationMs = Math.round(performance.now() - start);
    if (!health.ok) return fail('sidecar', `GET /health returned HTTP ${health.status}`, action);
    // /health needs no token, so another path verifies the token; the reference sidecar reads its database for it.
    const response = await get(DATA_PATH).catch((error: Error) => error);
    if (response instanceof Error || response.status >= 500) {
      const failure =
        response instanceof Error ? `failed (${messageOf(response)})` : `returned HTTP ${response.status}`;
      return fail(
        'sidecar',
        `is up, but GET ${DATA_PATH} ${failure}`,
        `Check the database of the sidecar, and read the log of the sidecar if this persists; ${OUTAGE}`,
      );
    }
    const { status } = response;
    if (status === 401 || status === 403)
      return fail(
        'sidecar',
        `is up, but rejects ${sidecar.token === null ? 'requests without a token' : 'the token'} (HTTP ${status})`,
        `Set ML_SIDECAR_TOKEN to the token of the sidecar; ${OUTAGE}`,
      );
    return ok('sidecar', `up, ${durationMs} ms`);
  });
}

/** A name that never resolves (RFC 6761), so that a proxy answers at once and connects to nothing. */
const NO_TARGET = 'engagement-doctor.invalid';

/** Checks the outbound proxy and its credentials with a request for a tunnel that leads nowhere. */
export async function checkProxy({
  outboundProxy: settings,
  webhookTimeoutMs,
}: Pick<Config, 'outboundProxy' | 'webhookTimeoutMs'>): Promise<Finding> {
  if (!settings) return ok('proxy', 'not configured: outbound requests are direct');
  const address = `${settings.host}:${settings.port}`;
  const action = 'Start the proxy or correct OUTBOUND_PROXY; until then, webhooks and meeting syncs wait.';
  const proxy = createProxy({ settings, observer: { onTunnel() {} }, log: createLogger('silent') });
  const error = await new Promise<OutboundError | null>((resolve) => {
    const connecting = proxy.connect({
      host: Promise.resolve(NO_TARGET),
      port: 443,
      onOpen(failure, socket) {
        clearTimeout(timer);
        socket.destroy();
        resolve(failure);
      },
    });
    const timer = setTimeout(() => {
      resolve(connecting.timeoutError());
      connecting.socket.destroy();
    }, webhookTimeoutMs);
  });
  switch (proxy.failure()?.error) {
    case undefined:
      return ok('proxy', `${address} answers${settings.authorization ? ' and accepts the credentials' : ''}`);
    case 'proxy_authentication':
      return fail(
        'proxy',
        `${address} ${settings.authorization ? 'rejects the credentials' : 'requires credentials'} (HTTP 407)`,
        'Correct the user name and password in OUTBOUND_PROXY.',
      );
    case 'proxy_response':
    case 'proxy_closed':
      return warn(
        'proxy',
        `${address} did not answer a request for a name that does not exist with 502, 503 or 504 (${error?.outboundCode})`,
        'Check that OUTBOUND_PROXY names an HTTP proxy that permits CONNECT.',
      );
    default:
      return fail('proxy', `${address} does not work (${error?.outboundCode})`, action);
  }
}
