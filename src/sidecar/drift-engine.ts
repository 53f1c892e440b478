import type mongoose from 'mongoose';
import { invalid } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { releaseBuffer } from '../platform/release-buffer.ts';
import { createSerial } from '../platform/serial.ts';
import { checkStore, type HistoryEntry } from './drift-checks.store.ts';
import { createWarmUp } from './profiles/profile-warm-up.ts';
import { createProfiles } from './profiles/profiles.ts';
import { savedProfiles } from './profiles/saved-profiles.store.ts';
import { type DriftReport, judge } from './psi/drift-report.ts';
import { createCategories } from './samples/category-limit.ts';
import { releaseBlock } from './samples/release-block.ts';
import { sampleStore } from './samples/sample.store.ts';
import { PREDICTION, RESIDUAL, type SampleSet } from './samples/samples.types.ts';
import { readSamples, type Samples } from './samples/samples-body.ts';
import { MAX_CATEGORIES, MAX_FEATURES, MAX_STAGES } from './sidecar-limits.ts';

interface Deps {
  /** The sidecar's own database. */
  db: mongoose.mongo.Db;
  /** `DRIFT_THRESHOLD`. */
  threshold: number;
  clock: Clock;
  /** Told of work in the background that failed; the next request that needs it tries again. */
  onWarning(error: unknown): void;
}

/** `GET /drift/status`. */
export interface DriftStatus extends DriftReport {
  threshold: number;
  method: 'psi';
  lastChecked: string;
}

/** What the sidecar can be asked (contract 9). */
export async function createDrift({ db, threshold, clock, onWarning }: Deps) {
  const store = sampleStore(db);
  const checks = checkStore(db);
  const profiles = createProfiles({ store, saved: savedProfiles(db) });
  const categories = createCategories();
  await Promise.all([store.prepare(), checks.prepare(), profiles.load()]);

  // Requests for the same set and stage would only make each other's transactions begin anew.
  const serial = createSerial();
  const warmUp = createWarmUp(profiles.warm, onWarning);
  const ready = profiles.warm().then(() => {
    for (const { partition, tally } of profiles.categories()) {
      for (const [name, feature] of tally.features) {
        categories.note(partition.set, partition.stage, name, feature.categories.keys());
      }
    }
  }, onWarning);

  /** @throws AppError VALIDATION_FAILED */
  async function requireRoom({ set, stage, encoded: { block } }: Samples): Promise<void> {
    const partitions = await store.list();
    const stages = new Set([stage, ...partitions.map((partition) => partition.stage)]);
    if (stages.size > MAX_STAGES)
      throw invalid('stage', `is one more than the ${MAX_STAGES} that are accepted`);
    const features = new Set([
      ...block.columns.keys(),
      ...partitions.flatMap((partition) => partition.features),
    ]);
    for (const name of [PREDICTION, RESIDUAL]) features.delete(name);
    if (features.size > MAX_FEATURES) {
      throw invalid('rows', `bring the features to ${features.size}; ${MAX_FEATURES} are accepted`);
    }
    const tooMany = categories.admit(set, stage, block);
    if (tooMany === null) return;
    throw invalid('rows', `bring the distinct strings above ${MAX_CATEGORIES}, with the feature ${tooMany}`);
  }

  return {
    /** Adds the samples of a request, all or none. @returns how many rows they were */
    async addSamples(body: Uint8Array): Promise<{ set: SampleSet; stage: string | null; added: number }> {
      const samples = readSamples(body);
      const { set, stage, encoded } = samples;
      const { block, outcomes } = encoded;
      try {
        await requireRoom(samples);
        if (block.rows === 0) return { set, stage, added: 0 };
        await serial(JSON.stringify([set, stage]), async () => {
          profiles.added(await store.add(set, stage, encoded), block);
        });
        warmUp.changed(set);
        return { set, stage, added: block.rows };
      } finally {
        releaseBlock(block);
        releaseBuffer(outcomes.buffer);
      }
    },

    /** Empties a set, or one stage of it. */
    async removeSamples(set: SampleSet, stage: string | undefined) {
      const removed = await store.remove(set, stage);
      categories.forget(set, stage);
      warmUp.changed(set);
      return { set, stage: stage ?? null, removed };
    },

    /** The latest check of all stages; of a model never checked what a check would find now. */
    async status(): Promise<DriftStatus> {
      const latest = await checks.latest();
      const { driftScore, isDrifted, featureDrifts } = latest
        ? judge(latest.featureDrifts, threshold)
        : await profiles.report(undefined, threshold);
      const lastChecked = (latest?.checkedAt ?? clock.now()).toISOString();
      return { isDrifted, driftScore, threshold, method: 'psi', lastChecked, featureDrifts };
    },

    history: (stage: string | undefined, limit: number): Promise<HistoryEntry[]> => checks.list(stage, limit),

    /** Compares the samples of a stage, or all, and keeps the result. */
    async check(stage: string | undefined): Promise<DriftReport & { success: true }> {
      const report = await profiles.report(stage, threshold);
      await checks.add(report, stage ?? null, clock.now());
      return { success: true, ...report };
    },

    /** Finishes what runs in the background, and keeps what has been counted. */
    async close(): Promise<void> {
      await ready;
      await warmUp.stop();
      await profiles.save();
    },
  };
}

export type Drift = Awaited<ReturnType<typeof createDrift>>;
