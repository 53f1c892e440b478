import type mongoose from 'mongoose';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { connectMongo } from '../platform/mongo/connect.ts';
import { driftCheckStore } from '../sidecar/drift-checks.store.ts';
import type { DriftEngine } from '../sidecar/drift-engine.ts';
import { sampleStore } from '../sidecar/samples/sample.store.ts';
import { sidecarDatabaseName } from '../sidecar/sidecar-database-name.ts';
import {
  DEMO_DAYS,
  DEMO_STAGES,
  type DemoSamples,
  demoDay,
  demoReference,
  SHIFTED_STAGE,
} from './drift-samples.ts';

type Db = mongoose.mongo.Db;

const DAY_MS = 86_400_000;
/** Collections with the samples and the checks. */
const COLLECTIONS = ['partitions', 'batches', 'checks'];

interface Deps {
  mongodbUri: string;
  /** `DRIFT_THRESHOLD`. */
  threshold: number;
  log: Logger;
  /** Cancels the seeding, without any change. */
  signal: AbortSignal;
}

/**
 * Loads the demo samples into the database of the reference sidecar, with the checks of the past 14 days. The
 * sidecar's own engine computes each check from the samples of its day, in a database of its own; one transaction then
 * adds everything. Changes nothing if the sidecar has samples, or if the demo samples were removed.
 *
 * @returns true if the samples were loaded
 */
export async function seedDriftHistory({ mongodbUri, threshold, log, signal }: Deps): Promise<boolean> {
  const connection = await connectMongo(mongodbUri, { maxPoolSize: 4 });
  const client = connection.getClient();
  const target = client.db(sidecarDatabaseName(connection.name));
  const draft = client.db(`${target.databaseName}_demo`);
  try {
    if (await hasBeenUsed(target)) return false;
    // An interrupted seeding leaves its database behind.
    await draft.dropDatabase();
    // Loaded on demand: only the first start needs it.
    const { createDriftEngine } = await import('../sidecar/drift-engine.ts');
    const clock = createSettableClock();
    const onWarning = (err: unknown): void =>
      log.warn({ err }, 'background update of the demo drift profiles failed');
    const engine = await createDriftEngine({
      db: draft,
      threshold,
      currentWindow: null,
      outcomeDelay: null,
      referenceOf: () => 'fixed',
      clock,
      onWarning,
    });
    try {
      await runDays({ engine, clock, signal });
    } finally {
      await engine.close();
    }
    // The operator may have loaded samples in the meantime.
    const loaded = !(await hasBeenUsed(target));
    if (loaded) await moveAll(draft, target);
    await draft.dropDatabase();
    return loaded;
  } finally {
    await connection.close();
  }
}

/** Returns true if the sidecar has samples, or has checked the demo samples. */
async function hasBeenUsed(db: Db): Promise<boolean> {
  const [samples, checks] = [sampleStore(db), driftCheckStore(db)];
  await Promise.all([samples.prepare(), checks.prepare()]);
  const [partitions, latest] = await Promise.all([samples.list(), checks.latest(SHIFTED_STAGE)]);
  return partitions.length > 0 || latest !== null;
}

function createSettableClock(): Clock & { set(at: number): void } {
  let at = new Date();
  return {
    now: () => at,
    set: (next) => {
      at = new Date(next);
    },
  };
}

interface DaysOptions {
  engine: DriftEngine;
  clock: ReturnType<typeof createSettableClock>;
  signal: AbortSignal;
}

/** Replays the days: adds the samples of each day, and checks all samples and every stage. The last day ends now. */
async function runDays({ engine, clock, signal }: DaysOptions): Promise<void> {
  const now = Date.now();
  const add = (samples: DemoSamples) =>
    engine.addSamples(new TextEncoder().encode(JSON.stringify(samples)), 'json');
  clock.set(now - DEMO_DAYS * DAY_MS);
  for (const samples of demoReference()) await add(samples);
  for (let day = 0; day < DEMO_DAYS; day += 1) {
    clock.set(now - (DEMO_DAYS - 1 - day) * DAY_MS);
    for (const samples of demoDay(day)) await add(samples);
    for (const stage of [undefined, ...DEMO_STAGES]) {
      signal.throwIfAborted();
      await engine.check(stage);
    }
  }
}

async function moveAll(from: Db, to: Db): Promise<void> {
  const contents = await Promise.all(
    COLLECTIONS.map(async (name) => ({ name, documents: await from.collection(name).find().toArray() })),
  );
  await to.client.withSession((session) =>
    session.withTransaction(async () => {
      for (const { name, documents } of contents)
        await to.collection(name).insertMany(documents, { session });
    }),
  );
}

/** Runs `seedDriftHistory` in the background. A failure is logged; the next start retries. */
export function seedDriftInBackground(deps: Omit<Deps, 'signal'>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = seedDriftHistory({ ...deps, signal })
    .then((loaded) =>
      deps.log.info(loaded ? 'loaded the demo drift samples' : 'kept the existing drift samples'),
    )
    .catch((err: unknown) => {
      if (!signal.aborted)
        deps.log.warn({ err }, 'failed to load the demo samples of the sidecar; the next start retries');
    });
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}
