import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { SYSTEM_USER } from './mongod-key.ts';

const { MongoClient, MongoNetworkError, MongoServerError, MongoServerSelectionError } = mongoose.mongo;
type Admin = ReturnType<mongoose.mongo.MongoClient['db']>;

const NOT_YET_INITIALIZED = 94;

/**
 * Time limit until a set has a primary. One member takes milliseconds, three take seconds; it takes half a minute if an
 * unresponsive program now occupies a member's previous port.
 */
const READY_TIMEOUT_MS = 60_000;

interface ReplicaSetConfig {
  _id: string;
  members: { _id: number; host: string }[];
  settings?: Record<string, number>;
}

interface FormReplicaSetOptions {
  setName: string;
  /** Ports of the members on 127.0.0.1; the commands go to the first one. */
  ports: number[];
  /** Key of the members; null without authentication. */
  key?: string | null;
  /** Replica set settings for a new set, such as `electionTimeoutMillis`. */
  settings?: Record<string, number>;
  /** Aborted when a member has exited: it will not respond any more. */
  memberExit?: AbortSignal;
}

/**
 * Initiates a new replica set, or reconfigures an existing one with its current ports, and waits until there is a
 * primary and all other members are secondaries.
 */
export async function formReplicaSet(options: FormReplicaSetOptions): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      const member = { port: options.ports[0] ?? 0, key: options.key ?? null, timeoutMs: READY_TIMEOUT_MS };
      return await withAdmin(member, (admin) => configure(admin, options));
    } catch (error) {
      // A member closes its connections when it detects that its stored address is no longer its own, and needs longer
      // than the selection timeout to respond on an overloaded machine.
      const isTransient = error instanceof MongoNetworkError || error instanceof MongoServerSelectionError;
      if (!isTransient || options.memberExit?.aborted || Date.now() > deadline) throw error;
    }
  }
}

async function configure(
  admin: Admin,
  { setName, ports, settings = {} }: FormReplicaSetOptions,
): Promise<void> {
  const hosts = ports.map(hostOf);
  const config = await currentConfig(admin);
  if (!config) {
    const members = hosts.map((host, index) => ({ _id: index, host }));
    await admin.command({ replSetInitiate: { _id: setName, members, settings } });
  } else if (config.members.some(({ host }, index) => host !== hosts[index])) {
    // The stored addresses are from an earlier start; a member that does not find its own address rejects operations.
    const members = config.members.map((member, index) => ({ ...member, host: hosts[index] }));
    await admin.command({ replSetReconfig: { ...config, members }, force: true });
  }
  await untilHealthy(admin, hosts.length);
}

interface ReplicaSetAddress {
  setName: string;
  /** Ports of the members on 127.0.0.1. */
  ports: number[];
  database: string;
  /** Key of the members; null without authentication. */
  key?: string | null;
}

/** Builds the connection string of a replica set. It contains the key, if there is one. */
export function replicaSetUri({ setName, ports, database, key = null }: ReplicaSetAddress): string {
  const user = key === null ? '' : `${SYSTEM_USER.username}:${encodeURIComponent(key)}@`;
  const source = key === null ? '' : `&authSource=${SYSTEM_USER.authSource}`;
  return `mongodb://${user}${ports.map(hostOf).join(',')}/${database}?replicaSet=${setName}${source}`;
}

const hostOf = (port: number): string => `127.0.0.1:${port}`;

interface Member {
  /** Port on 127.0.0.1. */
  port: number;
  /** Null without authentication. */
  key: string | null;
  timeoutMs: number;
}

/** Runs `work` on the admin database of the member at a port, whatever its state. */
export async function withAdmin<Result>(
  { port, key, timeoutMs }: Member,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(`mongodb://${hostOf(port)}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: Math.min(timeoutMs, 5000), // a local process responds quickly or not at all
    socketTimeoutMS: timeoutMs,
    ...(key !== null && {
      auth: { username: SYSTEM_USER.username, password: key },
      authSource: SYSTEM_USER.authSource,
    }),
  });
  try {
    return await work(client.db('admin'));
  } finally {
    await client.close();
  }
}

async function currentConfig(admin: Admin): Promise<ReplicaSetConfig | undefined> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return undefined;
    throw error;
  }
}

async function untilHealthy(admin: Admin, size: number): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let states: string[] = [];
  while (Date.now() < deadline) {
    const status = await admin.command({ replSetGetStatus: 1 });
    states = status.members.map((member: { stateStr: string }) => member.stateStr);
    const serving = states.filter((state) => state === 'PRIMARY' || state === 'SECONDARY').length;
    // A single member reports PRIMARY shortly before it accepts writes, so `hello` is checked too.
    const writable = size > 1 || (await admin.command({ hello: 1 })).isWritablePrimary;
    if (serving === size && states.includes('PRIMARY') && writable) return;
    await sleep(20);
  }
  throw new Error(
    `The replica set has no primary after ${READY_TIMEOUT_MS / 1000} s (${states.join(', ')}).`,
  );
}
