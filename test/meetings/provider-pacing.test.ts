import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createPacing } from '../../src/features/meetings/provider/pacing.ts';
import { systemWait } from '../../src/platform/abortable-wait.ts';
import { eventually } from '../support/eventually.ts';
import { startProvider } from '../support/provider.ts';
import { CIPHER, newClient, newKey, pacingDatabase } from './provider-support.ts';

/** Default of `CONNECTOR_PACING`, and the minimum interval of the provider, in milliseconds. */
const PACING = 1_250;
const AT_LEAST = 1_200;

let database: Awaited<ReturnType<typeof pacingDatabase>>;
let other: typeof database;
beforeAll(async () => {
  database = await pacingDatabase();
  other = await pacingDatabase();
});
afterAll(() => Promise.all([database.stop(), other.stop()]));

const pacing = (pacingMs: number) =>
  createPacing({
    ProviderPacing: database.models.ProviderPacing,
    pacingMs,
    wait: systemWait,
    cipher: CIPHER,
  });

const of = (apiKey: string) => ({ apiKey, endpointClass: { name: 'all', perMinute: 60 } });

describe('requests', () => {
  // Runs in real time: a stall between a request's start and its arrival distorts the measured gap.
  const real = { retry: 2 };
  test(
    'with one key start 1,200 ms apart, whichever process sends them; another key does not wait',
    real,
    async () => {
      const provider = await startProvider();
      onTestFinished(() => provider.stop());
      // Its connections take half a second to open: the request arrives late, and the next must not follow closer.
      let lookups = 0;
      const slow = newClient({
        baseUrl: provider.url.replace('127.0.0.1', 'provider.test'),
        database,
        pacingMs: PACING,
        lookup() {
          lookups += 1;
          return sleep(500, [{ address: '127.0.0.1', family: 4 }]);
        },
      });
      const quick = newClient({ baseUrl: provider.url, database, pacingMs: PACING });
      const [key, otherKey] = [newKey(), newKey()];
      const calls = async (client: typeof quick, count: number) => {
        for (let call = 0; call < count; call += 1) await client.checkKey(key);
      };
      const first = slow.checkKey(key);
      // It has its slot once it looks up the address.
      await eventually(() => lookups > 0);
      const others = Promise.all([first, calls(quick, 2), calls(slow, 2)]);
      // The calls with the first key last four intervals.
      const ended = [others.then(() => 'first key'), quick.checkKey(otherKey).then(() => 'other key')];
      expect(await Promise.race(ended)).toBe('other key');
      await others;

      const arrivals = provider.requests.filter((request) => request.key === key).map(({ at }) => at);
      const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
      expect(gaps).toHaveLength(4);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(AT_LEAST);
      // No caller waits longer than for one slot; a stall of the machine lengthens one gap.
      expect(gaps.toSorted((a, b) => a - b)[2]).toBeLessThan(PACING + 1_000);
    },
  );
});

describe('a slot', () => {
  test('is reserved by one process at a time for a key that was never used', async () => {
    const key = newKey();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const turn = await pacing(1).turn(of(key));
        inside += 1;
        most = Math.max(most, inside);
        await sleep(2);
        inside -= 1;
        await turn.end();
      }),
    );
    expect(most).toBe(1);
  });

  test('starts its interval when it is released, and is released once', async () => {
    const key = newKey();
    const turn = await pacing(6_000).turn(of(key));
    await sleep(200);
    const beforePass = performance.now();
    await turn.end();
    const passed = performance.now();
    await sleep(5_000);
    const beforeSecond = performance.now();
    await turn.end();
    await pacing(6_000).turn(of(key));
    // The database's clock counts whole milliseconds.
    expect(performance.now() - beforePass).toBeGreaterThanOrEqual(5_999);
    // From the first of the two: the second would have begun another 6 s.
    expect(performance.now() - passed).toBeLessThan(beforeSecond - passed + 6_000);
  });

  test('that its process never releases expires', async () => {
    const key = newKey();
    await pacing(1).turn(of(key));
    const { ProviderPacing } = database.models;
    const held = await ProviderPacing.findById(`${CIPHER.digest(key, 'pacing')}:all`).lean();
    expect(Number(held?.freeAt) - Number(held?.askedAt)).toBe(10_000);
    await ProviderPacing.updateOne({ _id: held?._id }, { $set: { freeAt: new Date() } });
    await (await pacing(1).turn(of(key))).end();
  });

  test('leaves no trace of the key in the database, and its record expires', async () => {
    const key = newKey();
    await (await pacing(1).turn(of(key))).end();
    const { ProviderPacing } = database.models;
    const stored = JSON.stringify(await ProviderPacing.find().lean());
    expect(stored).not.toContain(key);
    // A hash without a key could be compared with hashes of guessed keys.
    expect(stored).not.toContain(createHash('sha256').update(key).digest('hex'));
    const indexes = await ProviderPacing.collection.indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { freeAt: 1 }, expireAfterSeconds: 3_600 }),
    );
  });

  test('is held in the database: services with different databases do not wait for each other', async () => {
    const key = newKey();
    await pacing(60_000).turn(of(key));
    const { ProviderPacing } = other.models;
    await (
      await createPacing({ ProviderPacing, pacingMs: 60_000, wait: systemWait, cipher: CIPHER }).turn(of(key))
    ).end();
  });
});
