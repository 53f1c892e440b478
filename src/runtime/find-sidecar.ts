import type { Config } from '../config/config.ts';
import type { SidecarAddress } from '../platform/sidecar-address.ts';
import { runningEmbeddedSidecar } from './embedded/sidecar-file.ts';

type SidecarSettings = Pick<Config, 'mlSidecarUrl' | 'mlSidecarToken' | 'embedded' | 'dataDir'>;

/** Returns the sidecar of `ML_SIDECAR_URL`; null if it is not set. */
export const configuredSidecar = ({
  mlSidecarUrl,
  mlSidecarToken,
}: Pick<SidecarSettings, 'mlSidecarUrl' | 'mlSidecarToken'>): SidecarAddress | null =>
  mlSidecarUrl === null ? null : { url: mlSidecarUrl, token: mlSidecarToken };

/**
 * Returns the configured sidecar or, in embedded mode, the running service's sidecar; null if there is neither. For
 * commands, which start no sidecar.
 */
export async function findSidecar(config: SidecarSettings): Promise<SidecarAddress | null> {
  const configured = configuredSidecar(config);
  return configured ?? (config.embedded ? runningEmbeddedSidecar(config.dataDir) : null);
}
