import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDriftHistory } from '../../src/demo/demo-drift-history.ts';
import {
  DEMO_DAYS,
  DEMO_STAGES,
  demoCurrent,
  demoDay,
  demoReference,
  SHIFTED_STAGE,
} from '../../src/demo/drift-samples.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { sidecarDatabaseName } from '../../src/sidecar/sidecar-database-name.ts';
import { type Report, someRows, startTestSidecar, type TestSidecar } from '../sidecar/support.ts';
import { freshDatabase } from '../support/databases.ts';

const DAY_MS = 86_400_000;
const SCOPES = [null, ...DEMO_STAGES];

interface Entry extends Report {
  checkedAt: Date;
}

const seed = (mongodbUri: string, signal = new AbortController().signal): Promise<boolean> =>
  seedDriftHistory({ mongodbUri, threshold: 0.2, log: createLogger('silent'), signal });

/** The stored checks of all samples or a stage, oldest first. */
const checksOf = ({ db }: TestSidecar, stage: string | null): Promise<Entry[]> =>
  db.collection<Entry>('checks').find({ stage }).sort({ checkedAt: 1 }).toArray();

/** Number of documents in each collection of the sidecar's database that the seeding fills. */
const sizesOf = ({ db }: TestSidecar): Promise<number[]> =>
  Promise.all(['partitions', 'batches', 'checks'].map((name) => db.collection(name).countDocuments()));

async function databaseNames(mongodbUri: string): Promise<string[]> {
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  try {
    return (await client.db().admin().listDatabases({ nameOnly: true })).databases.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

const draftOf = (mongodbUri: string): string =>
  `${sidecarDatabaseName(new URL(mongodbUri).pathname.slice(1))}_demo`;

describe('the history of the demo samples', () => {
  let sidecar: TestSidecar;
  beforeAll(async () => {
    sidecar = await startTestSidecar();
    expect(await seed(sidecar.mongodbUri)).toBe(true);
  });
  afterAll(() => sidecar.stop());

  test.each(SCOPES)('has a check on each of 14 days, up to now: %s', async (stage) => {
    const checks = await checksOf(sidecar, stage);
    expect(checks).toHaveLength(DEMO_DAYS);
    const latest = checks.at(-1)?.checkedAt.getTime() ?? 0;
    expect(Date.now() - latest).toBeLessThan(60_000);
    expect(checks.map(({ checkedAt }) => (latest - checkedAt.getTime()) / DAY_MS)).toEqual(
      checks.map((_, day) => DEMO_DAYS - 1 - day),
    );
  });

  test.each([0, 10, DEMO_DAYS - 1])(
    'equals the check of a sidecar with the samples of day %i',
    async (day) => {
      await using own = await startTestSidecar();
      for (const { set, stage, rows } of demoReference()) await own.add(set, stage, rows);
      for (let past = 0; past <= day; past += 1)
        for (const { set, stage, rows } of demoDay(past)) await own.add(set, stage, rows);
      for (const stage of SCOPES) {
        const { driftScore, isDrifted, featureDrifts } = await own.check(stage ?? undefined);
        const [stored, computed] = [(await checksOf(sidecar, stage))[day], (await checksOf(own, stage))[0]];
        expect(stored).toMatchObject({ driftScore, isDrifted });
        expect(stored?.featureDrifts).toEqual(computed?.featureDrifts);
        expect(featureDrifts).toHaveLength(10);
      }
    },
  );

  test('one stage drifts in the last days because of two features; another has too few samples', async () => {
    const shifted = await checksOf(sidecar, SHIFTED_STAGE);
    const drifted = shifted.map(({ isDrifted }) => isDrifted);
    expect(drifted).toEqual([...Array(DEMO_DAYS - 3).fill(false), true, true, true]);
    const features = shifted.at(-1)?.featureDrifts.filter(({ score }) => score > 0.2) ?? [];
    expect(features.map(({ feature }) => feature).sort()).toEqual(['source', 'visits_30d']);
    for (const stage of SCOPES.filter((scope) => scope !== SHIFTED_STAGE))
      expect((await checksOf(sidecar, stage)).filter(({ isDrifted }) => isDrifted)).toEqual([]);
    const renewal = await checksOf(sidecar, 'renewal');
    for (const { featureDrifts } of renewal)
      expect(featureDrifts.every(({ insufficientData }) => insufficientData)).toBe(true);
  });

  test('comes with the samples, which the running sidecar counts', async () => {
    const { rows } = demoCurrent().find(({ stage }) => stage === SHIFTED_STAGE) ?? { rows: [] };
    const found = await sidecar.db.collection('partitions').findOne({ set: 'current', stage: SHIFTED_STAGE });
    expect(found?.rows).toBe(rows.length);
    const [latest] = (await checksOf(sidecar, SHIFTED_STAGE)).slice(-1);
    expect((await sidecar.check(SHIFTED_STAGE)).driftScore).toBe(latest?.driftScore);
    await sidecar.db.collection('checks').findOneAndDelete({}, { sort: { _id: -1 } });
  });

  test('is added once, and leaves no other database behind', async () => {
    const before = await sizesOf(sidecar);
    expect(await seed(sidecar.mongodbUri)).toBe(false);
    expect(await sizesOf(sidecar)).toEqual(before);
    expect(await databaseNames(sidecar.mongodbUri)).not.toContain(draftOf(sidecar.mongodbUri));
  });
});

describe('seeding the history', () => {
  test('adds nothing if it is interrupted, and everything at the next start', async () => {
    const mongodbUri = freshDatabase();
    const stopping = new AbortController();
    const interrupted = seed(mongodbUri, stopping.signal);
    await expect.poll(() => databaseNames(mongodbUri), { timeout: 20_000 }).toContain(draftOf(mongodbUri));
    stopping.abort();
    await expect(interrupted).rejects.toThrow();
    await using sidecar = await startTestSidecar({ mongodbUri });
    expect(await sizesOf(sidecar)).toEqual([0, 0, 0]);
    expect(await seed(mongodbUri)).toBe(true);
    expect(await checksOf(sidecar, null)).toHaveLength(DEMO_DAYS);
    expect(await databaseNames(mongodbUri)).not.toContain(draftOf(mongodbUri));
  });

  test('changes nothing if the sidecar has other samples', async () => {
    await using sidecar = await startTestSidecar();
    await sidecar.add('reference', SHIFTED_STAGE, someRows(40, 1));
    expect(await seed(sidecar.mongodbUri)).toBe(false);
    expect(await sizesOf(sidecar)).toEqual([1, 1, 0]);
  });

  test('does not mix with samples that are loaded in the meantime', async () => {
    await using sidecar = await startTestSidecar();
    const seeding = seed(sidecar.mongodbUri);
    await expect
      .poll(() => databaseNames(sidecar.mongodbUri), { timeout: 20_000, interval: 10 })
      .toContain(draftOf(sidecar.mongodbUri));
    await sidecar.add('reference', SHIFTED_STAGE, someRows(40, 1));
    expect(await seeding).toBe(false);
    expect(await sizesOf(sidecar)).toEqual([1, 1, 0]);
    expect(await databaseNames(sidecar.mongodbUri)).not.toContain(draftOf(sidecar.mongodbUri));
  });

  test('does not restore samples that were removed', async () => {
    await using sidecar = await startTestSidecar();
    await seed(sidecar.mongodbUri);
    for (const set of ['reference', 'current']) await sidecar.request('DELETE', `/samples?set=${set}`);
    expect(await seed(sidecar.mongodbUri)).toBe(false);
    expect((await sizesOf(sidecar))[0]).toBe(0);
  });
});
