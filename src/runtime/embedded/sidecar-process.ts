import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import {
  currentWindowText,
  driftReferenceText,
  driftThresholdText,
  outcomeDelayText,
} from '../../config/values.ts';
import type { Logger } from '../../platform/logger.ts';
import { projectFile } from '../../platform/project-files.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import { freePort } from './free-port.ts';
import { publishSidecar } from './sidecar-file.ts';
import { superviseProcess } from './supervised-process.ts';

export interface SidecarProcess {
  address: SidecarAddress;
  stop(): Promise<void>;
}

interface Options {
  mongodbUri: string;
  log: Logger;
}

const MAIN = projectFile('src/cli/main.ts');

/**
 * Starts the reference sidecar on a free loopback port and restarts it there when it exits. It is terminated when this
 * process exits, even by a crash. Other processes find its address and token in `DATA_DIR`.
 */
export async function startSidecarProcess(
  config: Config,
  { mongodbUri, log }: Options,
): Promise<SidecarProcess> {
  const { dataDir, driftThreshold, driftCurrentWindow, driftOutcomeDelay, driftReference } = config;
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const token = config.mlSidecarToken ?? randomBytes(32).toString('hex');
  const unpublish = await publishSidecar(dataDir, { url, token });
  const process = superviseProcess({
    name: 'reference sidecar',
    args: [MAIN, 'sidecar', '--port', port],
    env: {
      MONGODB_URI: mongodbUri,
      ML_SIDECAR_TOKEN: token,
      DRIFT_THRESHOLD: driftThresholdText(driftThreshold),
      DRIFT_REFERENCE: driftReferenceText(driftReference),
      ...(driftCurrentWindow ? { DRIFT_CURRENT_WINDOW: currentWindowText(driftCurrentWindow) } : {}),
      ...(driftOutcomeDelay ? { DRIFT_OUTCOME_DELAY: outcomeDelayText(driftOutcomeDelay) } : {}),
      LOG_LEVEL: 'warn',
    },
    log,
  });
  return {
    address: { url, token },
    async stop() {
      await unpublish();
      await process.stop();
    },
  };
}
