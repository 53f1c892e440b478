import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, ConfigError } from '../../config.ts';
import { check, type Finding, fail, ok, warn } from './findings.ts';

/** The service runs TypeScript directly, which older versions cannot. */
const OLDEST_NODE = 24;
const GIB = 1024 ** 3;

/** The version of Node that this process runs on. */
export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('node', `version ${version}`);
  return fail(
    'node',
    `version ${version} is too old`,
    `Run it through npm, which brings Node ${OLDEST_NODE}.`,
  );
}

/** A configuration that was read, or each variable that is wrong. */
export function checkConfig(read: Config | ConfigError): Finding[] {
  if (!(read instanceof ConfigError)) {
    const mode = read.embedded ? 'embedded mode' : 'MONGODB_URI is set';
    return [ok('configuration', `valid; ${mode}, role ${read.role}${read.production ? ', production' : ''}`)];
  }
  return read.problems.map(({ variable, message }) =>
    fail('configuration', `${variable}: ${message}`, `Correct ${variable}, or unset it.`),
  );
}

/** Free space where the data are; only embedded mode keeps much there. */
export const checkDisk = ({ dataDir, embedded }: Pick<Config, 'dataDir' | 'embedded'>): Promise<Finding> =>
  check('disk', 'Make DATA_DIR a directory that this user can read and write.', async () => {
    const free = await freeBytes(dataDir);
    const message = `${(free / GIB).toFixed(1)} GiB free for ${dataDir}`;
    const action = 'Free some space, or set DATA_DIR to another disk.';
    if (free < GIB / 10) return fail('disk', message, action);
    if (embedded && free < GIB) return warn('disk', message, action);
    return ok('disk', message);
  });

/** Free space for a directory that may not be there yet: then that of the nearest one above it that is. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const above = dirname(directory);
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing || above === directory) throw error;
    return freeBytes(above);
  }
}

/** The sidecar that is configured. */
export async function checkSidecar({ mlSidecarUrl, mlSidecarTimeoutMs, embedded }: Config): Promise<Finding> {
  if (mlSidecarUrl === null) {
    return ok(
      'sidecar',
      embedded ? 'not configured: the service starts the reference sidecar' : 'not configured',
    );
  }
  const action =
    'Start the sidecar, or correct ML_SIDECAR_URL; until then drift procedures answer SERVICE_UNAVAILABLE.';
  return check('sidecar', action, async () => {
    const start = performance.now();
    const signal = AbortSignal.timeout(mlSidecarTimeoutMs);
    const response = await fetch(`${mlSidecarUrl}/health`, { signal, redirect: 'error' });
    await response.body?.cancel();
    if (!response.ok) return fail('sidecar', `GET /health answered ${response.status}`, action);
    return ok('sidecar', `up, ${Math.round(performance.now() - start)} ms`);
  });
}
