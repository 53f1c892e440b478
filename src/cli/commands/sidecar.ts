import type { Config } from '../../config/config.ts';
import { UNAUTHENTICATED_SIDECAR } from '../../config/risks.ts';
import { AppError } from '../../errors/app-error.ts';
import { isLoopbackHost } from '../../platform/http/loopback-host.ts';
import { requireFreePort } from '../../platform/http/require-free-port.ts';
import type { Logger } from '../../platform/logger.ts';
import type { EmbeddedMongo } from '../../runtime/embedded/start-embedded-mongo.ts';
import { DEFAULT_PORT } from '../../sidecar/default-address.ts';
import { newCommand } from '../command.ts';
import { commandConfig, stderrLog } from '../command-backend.ts';
import { wholeNumber } from '../option-parsers.ts';
import { print } from '../output/text-output.ts';
import { untilSignal } from '../until-signal.ts';
import { sidecarCheck } from './sidecar-check.ts';
import { sidecarLoad } from './sidecar-load.ts';

interface Options {
  host: string;
  port: number;
  json: boolean;
}

/** Opens the configured database; embedded mode uses the database of a running service, if there is one. */
async function openDatabase(config: Config, log: Logger): Promise<EmbeddedMongo> {
  if (config.mongodbUri) {
    return { uri: config.mongodbUri, exited: new Promise(() => {}), stop: async () => {} };
  }
  const { openConfiguredMongo } = await import('../../runtime/embedded-mongo.ts');
  return openConfiguredMongo(config, { log, mayUseRunning: true });
}

async function run({ host, port, json }: Options): Promise<void> {
  const config = commandConfig();
  const log = stderrLog(config.logLevel);
  const stopped = untilSignal();
  const { driftThreshold: threshold, mlSidecarToken: token } = config;
  if (token === null && !isLoopbackHost(host)) {
    const { variable, problem, action } = UNAUTHENTICATED_SIDECAR;
    log.warn({ variable }, `${variable} ${problem}. ${action}`);
  }
  await requireFreePort({ host, port, setting: '--port' });
  const database = await openDatabase(config, log);
  try {
    const { startSidecar } = await import('../../sidecar/api/sidecar-server.ts');
    const sidecar = await startSidecar({
      mongodbUri: database.uri,
      host,
      port,
      token,
      threshold,
      currentWindow: config.driftCurrentWindow,
      outcomeDelay: config.driftOutcomeDelay,
      reference: config.driftReference,
      log,
    });
    print({ json, result: { url: sidecar.url }, text: `Sidecar at ${sidecar.url}. Press Ctrl-C to stop.` });
    const reason = await Promise.race([
      stopped,
      sidecar.failed.then(() => 'failed'),
      database.exited.then(() => 'failed'),
    ]);
    await sidecar.stop();
    if (reason === 'failed')
      throw new AppError('SERVICE_UNAVAILABLE', 'The sidecar or its database has failed; restart it.');
  } finally {
    await database.stop();
  }
}

/** `sidecar`: runs the reference ML sidecar. */
export const sidecar = () =>
  newCommand('sidecar', 'run the reference ML sidecar, which measures model drift')
    .enablePositionalOptions()
    .option(
      '--host <address>',
      'address to listen on; requests need ML_SIDECAR_TOKEN, if it is set',
      '127.0.0.1',
    )
    .option('--port <n>', 'port; 0 for any free port', wholeNumber(0, 65_535), DEFAULT_PORT)
    .action(run)
    .addCommand(sidecarLoad())
    .addCommand(sidecarCheck());
