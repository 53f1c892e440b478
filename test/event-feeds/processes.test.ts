import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { eventually } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { engagement, type ServiceProcess, sharedDataDir } from '../support/process.ts';
import { processOfTest } from '../support/test-scoped.ts';
import type { FeedPage } from './support.ts';

/** Events of the test with failures: a few thousand in the suite, 200,000 for a proof (`FEED_EVENTS=200000`). */
const EVENTS = Number(process.env.FEED_EVENTS ?? 2_000);
const PROCESSES = 4;
/** A customer per try: the database keeps the acknowledged position of a failed try. */
let nextCustomerId = 42;
const CLIENTS = 24;
const ENV = { DRIFT_CHECK_SCHEDULE: 'off' };

const feedUrl = ({ url }: ServiceProcess, customerId: number, name = 'crm') =>
  `${url}/api/v1/customers/${customerId}/event-feeds/${name}`;

/** A consumer that pulls from one process after another, acknowledges each page, and survives their ends. */
function startConsumer(key: string, customerId: number, processes: readonly ServiceProcess[]) {
  const received: string[] = [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let isStopped = false;
  let turn = 0;

  async function next(): Promise<void> {
    const target = processes[turn++ % processes.length];
    if (!target) return;
    const feed = feedUrl(target, customerId);
    const response = await fetch(`${feed}?wait=5&consumer=reader`, { headers });
    if (response.status !== 200) throw new Error(`pull: ${response.status} ${await response.text()}`);
    const { data, cursor } = (await response.json()) as FeedPage;
    if (data.length === 0) return;
    // Processed once it is acknowledged: a page whose acknowledgement is lost is read again.
    const body = JSON.stringify({ cursor, consumer: 'reader' });
    for (;;) {
      const isAcknowledged = await Promise.any(
        processes.map(async (process) => {
          const answer = await fetch(`${feedUrl(process, customerId)}/ack`, {
            method: 'POST',
            headers,
            body,
          });
          if (answer.status !== 200) throw new Error(`ack: ${answer.status} ${await answer.text()}`);
          return true;
        }),
      ).catch(() => false);
      if (isAcknowledged) break;
      if (isStopped) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    received.push(...data.map(({ id }) => id));
  }

  const ended = (async () => {
    while (!isStopped) await next().catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
  })();
  return {
    received,
    async stop() {
      isStopped = true;
      await ended;
    },
  };
}

/** Records conversions through any of the processes until `count` are accepted; returns the ids of their events. */
async function record(
  key: string,
  processes: readonly ServiceProcess[],
  { count, onAccepted }: { count: number; onAccepted(total: number): void },
): Promise<string[]> {
  const accepted: string[] = [];
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1' });
  async function client(turn: number) {
    for (let i = turn; accepted.length < count && !isOver; i += 1) {
      const target = processes[i % processes.length];
      const answer = await fetch(`${target?.url}/v1/events`, { method: 'POST', headers, body }).catch(
        () => null,
      );
      if (answer?.status !== 201) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      accepted.push(String(((await answer.json()) as { event_id: string }).event_id));
      onAccepted(accepted.length);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  return accepted;
}

describe('a feed over several processes', () => {
  describe('with three kills and a step-down', () => {
    let mongo: TestMongo;
    /** Of all tries: the database keeps secrets that its key has encrypted. */
    let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;
    beforeAll(async () => {
      dataDir = await sharedDataDir();
      mongo = await startTestMongo({ members: 3, database: 'feeds' });
    });
    afterAll(async () => {
      await mongo.stop();
      await dataDir[Symbol.asyncDispose]();
    });

    test(
      `gives a consumer that reads along each of ${EVENTS} events once, in the order of the log`,
      async () => {
        const customerId = nextCustomerId++;
        const { connection, models } = await openDatabase(mongo.uri);
        onTestFinished(() => connection.close());
        const start = () => processOfTest(dataDir.path, { mongodbUri: mongo.uri, env: ENV });
        // One after another: on a busy machine, four starts at once take longer than one may.
        const processes: ServiceProcess[] = [];
        while (processes.length < PROCESSES) processes.push(await start());
        const { key } = await engagement<{ key: string }>(
          dataDir.path,
          mongo.uri,
          ...['key', 'create', '--customer', String(customerId), '--scope', 'write'],
        );
        // Its sequencer is in the first process, which is read first and killed first.
        const headers = { authorization: `Bearer ${key}` };
        await fetch(feedUrl(processes[0] as ServiceProcess, customerId, 'other'), { headers });
        const consumer = startConsumer(key, customerId, processes);
        onTestFinished(() => consumer.stop());
        // One after another: a process does not start while no primary is elected.
        let faults: Promise<unknown> = Promise.resolve();
        const next = (fault: () => Promise<unknown>) => {
          faults = faults.then(fault);
        };
        const killNext = async (index: number) => {
          await processes[index]?.end('SIGKILL');
          processes[index] = await start().catch(start);
        };
        const at = (share: number) => Math.round(EVENTS * share);
        const accepted = await record(key, processes, {
          count: EVENTS,
          onAccepted(total) {
            if (total === at(0.2)) next(() => killNext(0));
            if (total === at(0.4)) next(() => killNext(1));
            if (total === at(0.6)) next(() => mongo.stepDown());
            if (total === at(0.8)) next(() => killNext(2));
          },
        });
        await faults;
        const stored = await models.Event.find({ customerId }, { _id: 1 }).lean();
        await eventually(() => consumer.received.length >= stored.length, 120_000);
        await consumer.stop();
        const log = await models.EventLogEntry.find({ customerId }).sort({ sequence: 1 }).lean();
        expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
        expect(consumer.received).toEqual(log.map(({ _id }) => _id.toHexString()));
        expect(new Set(consumer.received)).toEqual(new Set(stored.map(({ _id }) => _id.toHexString())));
        const received = new Set(consumer.received);
        expect(accepted.filter((id) => !received.has(id))).toEqual([]);
        const late = log.filter(
          ({ _id }, i) => i > 0 && _id.toHexString() < (log[i - 1]?._id.toHexString() ?? ''),
        );
        console.info(
          `${accepted.length} accepted, ${stored.length} stored and read; ${late.length} out of the order of ids`,
        );
      },
      Math.max(400_000, EVENTS * 30),
    );
  });
});
