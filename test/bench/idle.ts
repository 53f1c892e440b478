import { setTimeout as sleep } from 'node:timers/promises';
import { startTestMongo, testMongod } from '../support/mongo.ts';
import { countCommands } from './support/commands.ts';
import { cpuMs } from './support/proc.ts';
import { type Figure, single } from './support/report.ts';
import { startService } from './support/service.ts';

/** For the start of the service, and of the demo in embedded mode. */
const SETTLE_MS = 10_000;
const SECONDS = 30;

const percentOf = (ms: number): number => ms / (SECONDS * 10);

/** A service that has accepted nothing, beside a database of its own and with an embedded one. */
export async function idle(): Promise<Figure[]> {
  return [...(await external()), ...(await embedded())];
}

async function external(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'service' }), (started) => started.stop());
  const service = stack.use(await startService(mongo.uri));
  const commands = stack.use(await countCommands(mongo.uri));
  const mongod = mongo.members[0]?.pid ?? 0;
  await sleep(SETTLE_MS);
  const before = [cpuMs(service.pid), cpuMs(mongod), await commands.total()];
  await sleep(SECONDS * 1000);
  const after = [cpuMs(service.pid), cpuMs(mongod), await commands.total()];
  const [serviceMs = 0, mongodMs = 0, executed = 0] = after.map((value, i) => value - (before[i] ?? 0));
  return [
    single('CPU of the service, % of a core', percentOf(serviceMs), { atMost: 1 }),
    single('CPU of mongod, % of a core', percentOf(mongodMs)),
    single('database commands per second', executed / SECONDS),
  ];
}

async function embedded(): Promise<Figure[]> {
  const { path } = await testMongod();
  await using service = await startService('', { MONGOD_BINARY: path });
  await sleep(SETTLE_MS);
  const before = cpuMs(service.pid);
  await sleep(SECONDS * 1000);
  return [
    single('CPU of the service in embedded mode, % of a core', percentOf(cpuMs(service.pid) - before), {
      atMost: 1,
    }),
  ];
}
