import { setTimeout as sleep } from 'node:timers/promises';
import { EngagementClient } from '../../packages/client/src/index.ts';
import { eventually } from '../support/eventually.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { engagement, sharedDataDir } from '../support/process.ts';
import { auditDeliveries, type DeliveryAudit } from './delivery-audit.ts';
import { type Fault, type ScheduledFault, scheduleFaults } from './fault-schedule.ts';
import { Ledger } from './ledger.ts';
import { createLoad, type SoakTenant } from './load.ts';
import { type ReceivedRequest, type SoakReceiver, startSoakReceiver } from './receiver.ts';
import { type Sample, startSampling } from './sampling.ts';
import { pauseProcess, type SoakProcess, startSoakProcess } from './service-processes.ts';
import { createSoakClient } from './soak-client.ts';

const TENANTS = 4;
/**
 * Every process accepts events, so that the killed one holds attempts in memory and requests whose clients do not
 * know the outcome. Two of them are workers as well; the first of these runs from start to end.
 */
const PROCESSES = [
  { name: 'api', role: 'api' },
  { name: 'worker 1', role: 'all' },
  { name: 'worker 2', role: 'all' },
];
/** An outage takes attempts 1 to 3; the last retry is due within the drain. */
const RETRY_DELAYS = '20s,40s,80s';
/** A lease is twice as long, and five seconds. */
const TIMEOUT = '2s';
const DRAIN_MS = 180_000;
const DOWN_MS = 2_000;
/** Longer than a lease. */
const STOPPED_MS = 15_000;
/** Longer than an election. */
const CUT_MS = 10_000;
/** Writes that fail or are slow. */
const COMMANDS = 20;
const FAULT_TIMEOUT_MS = 300_000;

export interface SoakOptions {
  runMs: number;
  /** Requests a second; each causes one event. */
  rate: number;
  /** Adds the faults of the database and of stopped processes, and receivers that fail. */
  allFaults: boolean;
  /** Called at each fault, with what happens. */
  onFault(fault: Fault): void;
}

export interface SoakResult {
  /** Names of the processes, in the order of their samples. */
  processes: string[];
  faults: ScheduledFault[];
  samples: Sample[];
  ledger: Ledger;
  /** Deliveries as stored, compared with the log of the receiver. */
  audit: DeliveryAudit;
}

/** Runs the service under load and faults, and waits until every accepted event has arrived or the drain has ended. */
export async function soak({ runMs, rate, allFaults, onFault }: SoakOptions): Promise<SoakResult> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(
    await startTestMongo({ members: 3, database: 'soak', failpoints: allFaults, proxies: allFaults }),
    (set) => set.stop(),
  );
  const dataDir = stack.use(await sharedDataDir());
  const ledger = new Ledger();
  const received: ReceivedRequest[] = [];
  const receiver = stack.use(
    await startSoakReceiver(ledger, { fails: allFaults, onRequest: (request) => received.push(request) }),
  );
  const processes: SoakProcess[] = [];
  for (const { name, role } of PROCESSES) {
    const env = { ROLE: role, WEBHOOK_RETRY_DELAYS: RETRY_DELAYS, WEBHOOK_TIMEOUT: TIMEOUT };
    const options = { dataDir: dataDir.path, mongodbUri: mongo.uri, env };
    processes.push(stack.use(await startSoakProcess(name, options)));
  }
  const urls = processes.map(({ url }) => url);
  const tenants: SoakTenant[] = [];
  for (let customerId = 1; customerId <= TENANTS; customerId += 1) {
    const options = ['--customer', String(customerId), '--scope', 'write'];
    const { key } = await engagement<{ key: string }>(dataDir.path, mongo.uri, 'key', 'create', ...options);
    const client = new EngagementClient({ baseUrl: urls[0] ?? '', apiKey: key, customerId });
    const path = `/${customerId}`;
    const { secret } = await client.webhookEndpoints.create({ url: receiver.url + path });
    receiver.expect(path, secret);
    tenants.push({ customerId, key });
  }

  const load = createLoad({
    send: createSoakClient({ urls, onError: (reason) => ledger.fail(reason) }),
    tenants,
    ledger,
  });
  const { faults, outageMs } = scheduleFaults(runMs, allFaults);
  using sampling = startSampling(processes, ledger);
  const inject = createInjector({ mongo, receiver, victim: processes.at(-1) as SoakProcess, outageMs });
  const begun: ScheduledFault[] = [];
  await Promise.all([
    load.run({ rate, runMs }),
    ...faults.map(async ({ fault, atMs }) => {
      await sleep(atMs);
      onFault(fault);
      begun.push({ fault, atMs: Date.now() });
      await inject[fault]();
    }),
  ]);
  await eventually(() => ledger.totals().open === 0, DRAIN_MS).catch(() => {});
  const audit = await auditDeliveries(mongo.uri, { received, faults: begun, timeoutMs: DRAIN_MS });
  await sampling.stop();
  return { processes: processes.map(({ name }) => name), faults, samples: sampling.samples, ledger, audit };
}

const WRITES = ['insert', 'update', 'findAndModify'];

/** Repeats an action until it succeeds: on a busy machine neither a command nor a start is certain to. */
const untilDone = (action: () => Promise<void>): Promise<boolean> =>
  eventually(() => action().then(() => true), FAULT_TIMEOUT_MS);

const createInjector = ({
  mongo,
  receiver,
  victim,
  outageMs,
}: {
  mongo: TestMongo;
  receiver: SoakReceiver;
  victim: SoakProcess;
  outageMs: number;
}): Record<Fault, () => Promise<unknown>> => ({
  'step-down': () => untilDone(() => mongo.stepDown()),
  async kill() {
    await victim.kill();
    await sleep(DOWN_MS);
    await untilDone(() => victim.restart());
  },
  async outage() {
    await receiver.refuse();
    await sleep(outageMs);
    await receiver.listen();
  },
  'failing commands': () =>
    mongo.failCommands({ commands: WRITES, collection: 'webhookDeliveries', times: COMMANDS }),
  'slow commands': () =>
    mongo.failCommands({
      commands: WRITES,
      collection: 'webhookDeliveries',
      failure: { blockConnection: true, blockTimeMS: CUT_MS },
      times: 3,
    }),
  async 'locked secondaries'() {
    const primary = await mongo.primary();
    const secondaries = mongo.members.flatMap((_, member) => (member === primary ? [] : [member]));
    await Promise.all(secondaries.map((member) => mongo.command(member, { fsync: 1, lock: true })));
    await sleep(CUT_MS);
    await Promise.all(
      secondaries.map((member) => untilDone(() => mongo.command(member, { fsyncUnlock: 1 }))),
    );
  },
  'stopped process': () => victim.pause(STOPPED_MS),
  async 'stopped primary'() {
    const member = mongo.members[await mongo.primary()];
    if (member) await pauseProcess(member.pid, CUT_MS);
  },
  async partition() {
    const proxy = mongo.proxies[await mongo.primary()];
    proxy?.disconnect();
    await sleep(CUT_MS);
    proxy?.reconnect();
  },
});
