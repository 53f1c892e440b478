import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import mongoose from 'mongoose';
import { createProgress } from '../../src/platform/embedded/download-progress.ts';
import { findMongod, type MongodBinary } from '../../src/platform/embedded/find-mongod.ts';
import { freePort } from '../../src/platform/embedded/free-port.ts';
import { type Mongod, startMongod } from '../../src/platform/embedded/mongod-process.ts';
import { formReplicaSet, replicaSetUri } from '../../src/platform/embedded/replica-set.ts';
import { createLogger } from '../../src/platform/logger.ts';

const SET_NAME = 'test';

/** Where the tests, like the service, keep a fetched binary. */
const projectDataDir = resolve(import.meta.dirname, '../../.data');

/** A real replica set with its data in a temporary directory. */
export interface TestMongo {
  uri: string;
  members: Mongod[];
  /** Makes the primary step down; with three members another one takes over within seconds. */
  stepDown(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** The `mongod` that the tests run on; fetched once, then kept in the project's data directory. */
export const testMongod = (): Promise<MongodBinary> =>
  findMongod({
    dataDir: projectDataDir,
    override: process.env.MONGOD_BINARY || undefined,
    searchPath: process.env.PATH ?? '',
    progress: createProgress(),
    log: createLogger('silent'),
  });

interface TestMongoOptions {
  /** Number of members; one by default. */
  members?: number;
  database?: string;
  /** Size of the cache of each member. */
  cacheGb?: number;
  /** Directory for the data of the only member, which is kept; a temporary one by default. */
  dataDir?: string | null;
}

/** Starts a replica set: one member in half a second, three (for step-downs and crashes) in about three. */
export async function startTestMongo({
  members: size = 1,
  database = 'test',
  cacheGb = 0.25,
  dataDir = null,
}: TestMongoOptions = {}): Promise<TestMongo> {
  const { path: binary } = await testMongod();
  const root = await mkdtemp(join(tmpdir(), 'engagement-mongo-'));
  if (dataDir !== null) await mkdir(dataDir, { recursive: true });
  const members = await Promise.all(
    Array.from({ length: size }, async () => {
      const dbPath = dataDir ?? (await mkdtemp(join(root, 'member-')));
      const options = { binary, dbPath, port: await freePort(), setName: SET_NAME, cacheGb };
      return startMongod({ ...options, log: createLogger('silent') });
    }),
  );
  const ports = members.map(({ port }) => port);
  const abandon = () => {
    for (const member of members) void member.kill();
    rmSync(root, { recursive: true, force: true });
  };
  process.once('exit', abandon); // a test that ends without `stop` leaves nothing either

  // Heartbeats and elections in seconds rather than tens of them: all members are on this machine.
  const settings = { heartbeatIntervalMillis: 200, electionTimeoutMillis: 2000 };
  await formReplicaSet({ setName: SET_NAME, ports, settings });
  const uri = replicaSetUri({ setName: SET_NAME, ports, database });
  return {
    uri,
    members,
    stepDown: () => stepDown(uri),
    async stop() {
      // Data in the temporary directory is no longer needed.
      await Promise.all(members.map((member) => (dataDir === null ? member.kill() : member.stop())));
      await rm(root, { recursive: true, force: true });
      process.off('exit', abandon);
    },
  };
}

async function stepDown(uri: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    await client.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
  } finally {
    await client.close();
  }
}
