import { startTestMongo } from '../support/mongo.ts';
import { ACCEPT_FIELDS, createAcceptRun } from './support/accept-run.ts';
import { countCommands } from './support/commands.ts';
import { compared, type Figure } from './support/report.ts';
import { startService } from './support/service.ts';
import { alternate } from './support/stats.ts';
import { startTraffic } from './support/traffic.ts';

const EVENTS = 3_000;
const WARM_UP = 10_000;
const WARM_UP_OF_FEATURE = 1_000;
const PAIRS = 3;
const LEVEL = { clients: 64, rate: null } as const;

/** Settings of an endpoint that steer its deliveries. The rate limit is never reached: its permits are what costs. */
const FEATURES: Record<string, object> = {
  filter: { filter: { 'data.conversionType': { $regex: '^n' }, event: 'conversion.recorded' } },
  'rate limit': { rateLimit: { count: 10_000, perSeconds: 1 } },
  Ed25519: { signing: 'ed25519' },
};

const FIELDS = ['delivered', 'acceptP50', 'cpuProcess', 'commands'] as const;

/** Accepts and delivers events to an endpoint with one feature, beside an endpoint of another customer without any. */
export async function steering(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo(), (started) => started.stop());
  const traffic = stack.use(await startTraffic());
  const commands = stack.use(await countCommands(mongo.uri));
  const service = stack.use(await startService(mongo.uri));
  const run = createAcceptRun({ traffic, commands, mongod: mongo.members[0]?.pid ?? 0 });

  let customers = 0;
  async function newTarget(settings: object) {
    customers += 1;
    const key = await service.newKey(customers);
    await service.newEndpoint(customers, key, traffic.sinkUrl, settings);
    return { url: service.url, key, pid: service.pid };
  }

  const plain = await newTarget({});
  await run(plain, LEVEL, WARM_UP);
  const figures: Figure[] = [];
  for (const [name, settings] of Object.entries(FEATURES)) {
    const steered = await newTarget(settings);
    await run(steered, LEVEL, WARM_UP_OF_FEATURE);
    const pairs = await alternate(
      PAIRS,
      () => run(steered, LEVEL, EVENTS),
      () => run(plain, LEVEL, EVENTS),
    );
    for (const field of FIELDS)
      figures.push(
        compared(
          `${name}: ${ACCEPT_FIELDS[field]}`,
          pairs.map(({ subject, baseline }) => ({ subject: subject[field], baseline: baseline[field] })),
        ),
      );
  }
  return figures;
}
