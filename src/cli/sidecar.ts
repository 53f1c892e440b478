import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../platform/logger.ts';
import { DEFAULT_PORT } from '../sidecar/sidecar-address.ts';
import { commandConfig, stderrLog } from './backend.ts';
import { newCommand, wholeNumber } from './command.ts';
import { print } from './output.ts';
import { sidecarLoad } from './sidecar-load.ts';

interface Options {
  host: string;
  port: number;
  json: boolean;
}

interface Database {
  uri: string;
  /** Resolves when it has ended, asked for or not. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** The configured database; in embedded mode that of a running service, or one for the sidecar's own time. */
async function openDatabase(config: Config, log: Logger): Promise<Database> {
  if (config.mongodbUri) {
    return { uri: config.mongodbUri, exited: new Promise(() => {}), stop: async () => {} };
  }
  const [{ createProgress }, { openEmbeddedMongo }] = await Promise.all([
    import('../platform/embedded/download-progress.ts'),
    import('../platform/embedded/open-embedded-mongo.ts'),
  ]);
  return openEmbeddedMongo({
    dataDir: config.dataDir,
    searchPath: config.searchPath,
    override: config.mongodBinary ?? undefined,
    progress: createProgress(),
    log,
    shared: true,
  });
}

async function run({ host, port, json }: Options): Promise<void> {
  const config = commandConfig();
  const log = stderrLog(config.logLevel);
  const stopped = Promise.race(
    (['SIGINT', 'SIGTERM'] as const).map(
      (signal) => new Promise<'signal'>((resolve) => process.once(signal, () => resolve('signal'))),
    ),
  );
  const database = await openDatabase(config, log);
  try {
    const { startSidecar } = await import('../sidecar/api/sidecar-server.ts');
    const { driftThreshold: threshold } = config;
    const sidecar = await startSidecar({ mongodbUri: database.uri, host, port, threshold, log });
    print(json, { url: sidecar.url }, `Sidecar at ${sidecar.url}. Ctrl-C ends it.`);
    const reason = await Promise.race([
      stopped,
      sidecar.failed.then(() => 'failed'),
      database.exited.then(() => 'failed'),
    ]);
    await sidecar.stop();
    if (reason === 'failed') throw new AppError('SERVICE_UNAVAILABLE', 'The sidecar cannot go on.');
  } finally {
    await database.stop();
  }
}

/** `sidecar`: the reference ML sidecar, and what feeds it. */
export const sidecar = () =>
  newCommand('sidecar', 'run the reference ML sidecar, which says how far the model has drifted')
    .enablePositionalOptions()
    .option('--host <address>', 'where it listens; nothing asks for a key there', '127.0.0.1')
    .option('--port <n>', 'port; 0: any free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .action(run)
    .addCommand(sidecarLoad());
