import mongoose from 'mongoose';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/database/models.ts';
import type { ProviderAdapter } from '../../src/features/meetings/provider/adapters/adapter.types.ts';
import { standardAdapter } from '../../src/features/meetings/provider/adapters/standard.ts';
import { createPacing } from '../../src/features/meetings/provider/pacing.ts';
import {
  type Provider,
  ProviderError,
  type ProviderMeeting,
  type ProviderSegment,
} from '../../src/features/meetings/provider/provider.types.ts';
import { MAX_WIRE_BYTES } from '../../src/features/meetings/provider/provider-calls.ts';
import { createProvider } from '../../src/features/meetings/provider/provider-client.ts';
import { decodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import type { Lookup } from '../../src/outbound/dns-lookup.ts';
import { createOutboundClient } from '../../src/outbound/outbound-client.ts';
import { systemWait, type Wait } from '../../src/platform/abortable-wait.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { TestClock } from '../support/clock.ts';
import { freshDatabase } from '../support/databases.ts';
import { startProvider, type TestProviderOptions } from '../support/provider.ts';

/** Opens a database without documents; `stop` closes the connection. */
export async function pacingDatabase(): Promise<Database & { stop(): Promise<void> }> {
  const database = await openDatabase(freshDatabase());
  return { ...database, stop: () => database.connection.close() };
}

interface ClientOptions {
  baseUrl: string;
  database: Database;
  pacingMs?: number;
  wait?: Wait;
  clock?: TestClock;
  lookup?: Lookup;
  adapter?: ProviderAdapter;
}

/** The encryption key that all processes share. */
export const CIPHER = createCipher(['a1'.repeat(32)]);

/** A client of its own, with connections of its own, as another process would have. */
export function newClient({
  baseUrl,
  database,
  pacingMs = 1,
  wait = systemWait,
  clock,
  lookup,
  adapter = standardAdapter,
}: ClientOptions): Provider {
  const outbound = createOutboundClient({ allowPrivate: true, maxWireBytes: MAX_WIRE_BYTES, lookup });
  onTestFinished(() => outbound.close(0));
  const { ProviderPacing } = database.models;
  return createProvider({
    adapter,
    baseUrl,
    outbound,
    pacing: createPacing({ ProviderPacing, pacingMs, wait: systemWait, cipher: CIPHER }),
    clock: clock ?? new TestClock(),
    wait,
    log: createLogger('silent'),
  });
}

/** Moves the times of the pacing back, as if so much time had passed in the database. */
const passTime = ({ models: { ProviderPacing } }: Database, ms: number) =>
  ProviderPacing.updateMany({}, [{ $set: { notBefore: { $subtract: ['$notBefore', ms] } } }], {
    updatePipeline: true,
  });

/** A client beside a provider, whose waits are recorded and last no time. */
export async function clientOf(
  database: Database,
  options: TestProviderOptions = {},
  adapter?: ProviderAdapter,
) {
  const provider = await startProvider(options);
  onTestFinished(() => provider.stop());
  const waits: number[] = [];
  const clock = new TestClock();
  const client = newClient({
    baseUrl: provider.url,
    database,
    clock,
    adapter,
    wait: async (ms) => {
      waits.push(ms);
      await passTime(database, ms);
    },
  });
  return { provider, client, waits, clock };
}

/** Returns a unique key, so that tests do not wait for each other. */
export const newKey = (): string => `rec_${new mongoose.Types.ObjectId().toHexString()}`;

/** Returns the error of a call. Throws if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderError)) throw error;
  return error;
}

/** Returns the segments of a meeting. */
export const segmentsOf = ({ transcriptJson }: Pick<ProviderMeeting, 'transcriptJson'>): ProviderSegment[] =>
  transcriptJson === null ? [] : decodeTranscript(transcriptJson);

export const SINCE = new Date('2020-01-01T00:00:00.000Z');
/** The first page of all there is. */
export const firstPage = (client: Provider, key = newKey()) =>
  client.meetings(key, { since: SINCE, after: null });

/** Every page of a listing, followed to its end. */
export async function allPages(client: Provider, key = newKey()) {
  const pages = [await firstPage(client, key)];
  for (let after = pages[0]?.next; after; after = pages.at(-1)?.next) {
    pages.push(await client.meetings(key, { since: SINCE, after }));
    if (pages.length > 50) throw new Error('the listing has no end');
  }
  return pages;
}
