import type { Config } from '../config/config.ts';
import type { SidecarAddress } from '../platform/sidecar-address.ts';
import { findSidecar } from '../runtime/find-sidecar.ts';
import { DEFAULT_URL } from '../sidecar/default-address.ts';

export const URL_OPTION = [
  '--url <url>',
  `URL of the sidecar (default: ML_SIDECAR_URL, else the running embedded service's sidecar, else ${DEFAULT_URL})`,
] as const;

/**
 * Returns the sidecar that a command calls. The token is `ML_SIDECAR_TOKEN`, or the embedded service's own
 * token for its sidecar.
 *
 * @param url value of `--url`
 */
export async function sidecarTarget({
  config,
  url,
}: {
  config: Config;
  url: string | undefined;
}): Promise<SidecarAddress> {
  const found = await findSidecar(config);
  const target = url?.replace(/\/+$/, '') ?? found?.url ?? DEFAULT_URL;
  return target === found?.url ? found : { url: target, token: config.mlSidecarToken };
}
