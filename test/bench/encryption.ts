import { startTestMongo } from '../support/mongo.ts';
import { ACCEPT_FIELDS, createAcceptRun } from './support/accept-run.ts';
import { countCommands } from './support/commands.ts';
import { type Aim, compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

const EVENTS = 3_000;
/** Until V8 has compiled the code that serves a request. */
const WARM_UP = 10_000;
const PAIRS = 5;
const LEVEL = { clients: 64, rate: null } as const;
const CUSTOMER = 1;

const FIELDS: { [field in keyof typeof ACCEPT_FIELDS]?: Aim | null } = {
  delivered: { atLeast: 0.8 },
  accepted: { atLeast: 0.8 },
  acceptP50: null,
  cpuProcess: null,
  cpuMongod: null,
  commands: null,
};

/** Accepts and delivers events with `PII_ENCRYPTION=on`, beside a service with it off on another database. */
export async function encryption(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const commands = stack.use(await countCommands(mongo.uri));
  const run = createAcceptRun({ traffic, commands, mongod: mongo.members[0]?.pid ?? 0 });

  /** Starts a service on a database of its own; returns the load of its events. */
  async function start(setting: 'on' | 'off') {
    const uri = new URL(mongo.uri);
    uri.pathname = `/encryption_${setting}`;
    const service = stack.use(await startService(uri.href, { PII_ENCRYPTION: setting }));
    const key = await service.newKey(CUSTOMER);
    await service.newEndpoint(CUSTOMER, key, traffic.sinkUrl);
    return (count = EVENTS) => run({ url: service.url, key, pid: service.pid }, LEVEL, count);
  }

  const encrypted = await start('on');
  const plain = await start('off');
  await encrypted(WARM_UP);
  await plain(WARM_UP);
  const pairs = await alternate(PAIRS, encrypted, plain);
  return Object.entries(FIELDS).map(([name, aim]) => {
    const field = name as keyof typeof FIELDS;
    return compared(
      ACCEPT_FIELDS[field],
      pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] })),
      aim ?? null,
    );
  });
}
