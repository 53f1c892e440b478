import { randomBytes } from 'node:crypto';
import {
  type CurrentWindow,
  currentWindowText,
  type DriftThreshold,
  driftReferenceText,
  driftThresholdText,
  type OutcomeDelay,
  outcomeDelayText,
  type ReferenceSetting,
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
  /** `DATA_DIR`; other processes find the address and the token there. */
  dataDir: string;
  /** Bearer token of the sidecar; null to generate one. */
  token: string | null;
  threshold: DriftThreshold;
  /** Null if all current samples count. */
  currentWindow: CurrentWindow | null;
  /** Null if an unknown outcome counts as missing at once. */
  outcomeDelay: OutcomeDelay | null;
  reference: ReferenceSetting;
  log: Logger;
}

const MAIN = projectFile('src/cli/main.ts');

/**
 * Starts the reference sidecar on a free loopback port and restarts it there when it exits. It is terminated when this
 * process exits, even by a crash.
 */
export async function startSidecarProcess(options: Options): Promise<SidecarProcess> {
  const { mongodbUri, dataDir, threshold, currentWindow, outcomeDelay, reference, log } = options;
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const token = options.token ?? randomBytes(32).toString('hex');
  const unpublish = await publishSidecar(dataDir, { url, token });
  const process = superviseProcess({
    name: 'reference sidecar',
    args: [MAIN, 'sidecar', '--port', port],
    env: {
      MONGODB_URI: mongodbUri,
      ML_SIDECAR_TOKEN: token,
      DRIFT_THRESHOLD: driftThresholdText(threshold),
      DRIFT_REFERENCE: driftReferenceText(reference),
      ...(currentWindow ? { DRIFT_CURRENT_WINDOW: currentWindowText(currentWindow) } : {}),
      ...(outcomeDelay ? { DRIFT_OUTCOME_DELAY: outcomeDelayText(outcomeDelay) } : {}),
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
