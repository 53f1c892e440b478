import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { sizeOf } from '../support/full-size.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { engagement, type ServiceProcess, sharedDataDir } from '../support/process.ts';
import type { Receiver } from '../support/receiver.ts';
import { dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import { receiving } from './support.ts';

/** Attempts at a time to one endpoint. */
const SLOTS = 4;
/** With these slots at most 160 deliveries a second, so that a burst leaves a backlog. */
const RECEIVER_MS = 25;
const ENV = { WEBHOOK_CONCURRENCY_PER_ENDPOINT: String(SLOTS) };
const BURST = 600;
/** Events of the burst during which the primary steps down. */
const LONG_BURST = sizeOf({ small: 1_000, full: 1_500 });
const CLIENTS = 20;

let nextCustomerId = 7;

/** A new customer with a write key and an endpoint at the receiver. */
async function customer(
  dataDir: string,
  mongodbUri: string,
  service: ServiceProcess,
  receiver: Receiver,
): Promise<string> {
  const customerId = nextCustomerId++;
  const { key } = await engagement<{ key: string }>(
    dataDir,
    mongodbUri,
    'key',
    'create',
    '--customer',
    String(customerId),
    '--scope',
    'write',
  );
  const response = await fetch(`${service.url}/api/v1/customers/${customerId}/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url }),
  });
  expect(response.status).toBe(201);
  return key;
}

/**
 * Posts conversions from several clients until `count` are accepted or the service is gone. An answer counts only
 * when it was read whole: what was cut off may or may not have been accepted.
 */
async function burst(
  url: string,
  key: string,
  count: number,
  onAccepted: (total: number) => void,
): Promise<string[]> {
  const accepted: string[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      sent += 1;
      try {
        const response = await fetch(`${url}/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'conversion', goal: 'signup', visitor_id: `v${sent}` }),
          signal: AbortSignal.timeout(40_000),
        });
        const body = (await response.json()) as { id: string };
        if (response.status !== 201) continue;
        accepted.push(body.id);
        onAccepted(accepted.length);
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return accepted;
}

/** Number of arrivals per conversion. */
function arrivals(receiver: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { envelope } of receiver.received) {
    const id = String(envelope.data.conversionEventId);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function untilAllArrived(receiver: Receiver, accepted: string[], timeoutMs: number): Promise<string[]> {
  const missing = () => {
    const counts = arrivals(receiver);
    return accepted.filter((id) => !counts.has(id));
  };
  await eventually(() => missing().length === 0, timeoutMs).catch(() => {});
  return missing();
}

const twice = (receiver: Receiver): number =>
  [...arrivals(receiver).values()].filter((count) => count > 1).length;

describe('no accepted event is lost', () => {
  test('when the only process is killed during a burst', async () => {
    const mongodbUri = freshDatabase();
    const dataDir = await dataDirOfTest();
    const receiver = await receiving({ status: 200, delayMs: RECEIVER_MS });
    const options = { mongodbUri, env: ENV };
    const first = await processOfTest(dataDir, options);
    const key = await customer(dataDir, mongodbUri, first, receiver);
    let killed: Promise<number | null> | undefined;
    const accepted = await burst(first.url, key, 5_000, (total) => {
      if (total === BURST) killed = first.end('SIGKILL');
    });
    await killed;
    expect(accepted.length).toBeGreaterThanOrEqual(500);
    const before = arrivals(receiver).size;
    expect(before).toBeLessThan(accepted.length);

    const second = await processOfTest(dataDir, options);
    expect(await untilAllArrived(receiver, accepted, 60_000)).toEqual([]);
    console.info(
      `kill -9: ${accepted.length} accepted, ${before} had arrived, ${twice(receiver)} came twice`,
    );
    // Attempts in flight, one in each slot, and at most three times as many whose results were not written: 16.
    expect(twice(receiver)).toBeLessThanOrEqual(4 * SLOTS);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  describe('when the primary steps down', () => {
    let mongo: TestMongo;
    /** Of all tries: the database keeps secrets that its key has encrypted. */
    let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;
    beforeAll(async () => {
      dataDir = await sharedDataDir();
      mongo = await startTestMongo({ members: 3, database: 'failover' });
    });
    afterAll(async () => {
      await mongo.stop();
      await dataDir[Symbol.asyncDispose]();
    });

    test('during a burst', async () => {
      const receiver = await receiving({ status: 200, delayMs: RECEIVER_MS });
      const service = await processOfTest(dataDir.path, {
        mongodbUri: mongo.uri,
        env: ENV,
      });
      const key = await customer(dataDir.path, mongo.uri, service, receiver);
      let steppedDown: Promise<void> | undefined;
      const accepted = await burst(service.url, key, LONG_BURST, (total) => {
        if (total === BURST) steppedDown = mongo.stepDown();
      });
      await steppedDown;
      expect(accepted.length).toBeGreaterThanOrEqual(BURST);
      expect(await untilAllArrived(receiver, accepted, 60_000)).toEqual([]);
      console.info(`step-down: ${accepted.length} of ${LONG_BURST} accepted, ${twice(receiver)} came twice`);
      expect(await service.end('SIGTERM')).toBe(0);
    }, 180_000);
  });
});
