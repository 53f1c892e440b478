import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ConfigRisk, configRisks } from '../../config.risks.ts';
import { type Config, ConfigError } from '../../config.ts';
import { check, type Finding, fail, ok, warn } from './findings.ts';

/** Oldest major version that runs TypeScript directly. */
const MIN_NODE_MAJOR = 24;
const GIB = 1024 ** 3;

/** Converts a risk of the settings. */
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

/** Returns a finding for a valid configuration and one per risk in it, else one per invalid variable. */
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

/** Checks the free disk space of `DATA_DIR`, which only embedded mode uses for much data. */
export const checkDisk = ({ dataDir, embedded }: Pick<Config, 'dataDir' | 'embedded'>): Promise<Finding> =>
  check('disk', 'Set DATA_DIR to a directory that this user can read and write.', async () => {
    const free = await freeBytes(dataDir);
    const message = `${(free / GIB).toFixed(1)} GiB free for ${dataDir}`;
    const action = 'Free disk space or set DATA_DIR to a directory on another disk.';
    if (free < GIB / 10) return fail('disk', message, action);
    if (embedded && free < GIB) return warn('disk', message, action);
    return ok('disk', message);
  });

/** Returns the free space for a directory; if it does not exist, that of its nearest existing parent. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing || parent === directory) throw error;
    return freeBytes(parent);
  }
}

export async function checkSidecar({ mlSidecarUrl, mlSidecarTimeoutMs, embedded }: Config): Promise<Finding> {
  if (mlSidecarUrl === null) {
    return ok(
      'sidecar',
      embedded ? 'not configured: the service starts the reference sidecar' : 'not configured',
    );
  }
  const action =
    'Start the sidecar or correct ML_SIDECAR_URL; until then, drift operations fail with SERVICE_UNAVAILABLE.';
  return check('sidecar', action, async () => {
    const start = performance.now();
    const signal = AbortSignal.timeout(mlSidecarTimeoutMs);
    const response = await fetch(`${mlSidecarUrl}/health`, { signal, redirect: 'error' });
    await response.body?.cancel();
    if (!response.ok) return fail('sidecar', `GET /health returned HTTP ${response.status}`, action);
    return ok('sidecar', `up, ${Math.round(performance.now() - start)} ms`);
  });
}
