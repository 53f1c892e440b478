import type { CurrentWindow, OutcomeDelay } from '../config/values.ts';
import { invalid } from '../errors/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { createKeyedSerial } from '../platform/keyed-serial.ts';
import { releaseBuffer } from '../platform/release-buffer.ts';
import { MAX_STAGES } from '../shared/drift-limits.ts';
import type { DriftReference } from '../shared/drift-references.ts';
import { driftCheckStore } from './drift-checks.store.ts';
import { driftReports } from './drift-reports.ts';
import { featureSettingStore } from './feature-settings.store.ts';
import type { ModelDb } from './model-db.ts';
import { createWeeklyPerformance } from './performance/weekly-performance.ts';
import { createWarmUp } from './profiles/profile-warm-up.ts';
import { createProfiles } from './profiles/profiles.ts';
import { savedProfileStore } from './profiles/saved-profiles.store.ts';
import { createCategoryLimit } from './samples/category-limit.ts';
import { createExampleRows } from './samples/example-rows.ts';
import { releaseBlock } from './samples/release-block.ts';
import { createRowSelection } from './samples/row-selection.ts';
import { type Partition, sampleStore } from './samples/sample.store.ts';
import { createSampleWindow } from './samples/sample-window.ts';
import { PREDICTION, RESIDUAL, type SampleSet } from './samples/samples.types.ts';
import { readSamples, type Samples, type SamplesFormat } from './samples/samples-body.ts';
import { createYoungRows } from './samples/young-rows.ts';
import { MAX_CATEGORIES, MAX_FEATURES } from './sidecar-limits.ts';

/** How often rows expire by age when no samples are added and no check runs. */
const EXPIRY_INTERVAL_MS = 60_000;

interface Deps {
  /** The sidecar's own database. */
  db: ModelDb;
  /** `DRIFT_THRESHOLD`. */
  threshold: number;
  /** `DRIFT_CURRENT_WINDOW`; null if all current samples count. */
  currentWindow: CurrentWindow | null;
  /** `DRIFT_OUTCOME_DELAY`; null if an unknown outcome counts as missing at once. */
  outcomeDelay: OutcomeDelay | null;
  /** Returns the reference of a stage by `DRIFT_REFERENCE`; null for all samples. */
  referenceOf: (stage: string | null) => DriftReference;
  clock: Clock;
  /** Called when background work fails; the next request that needs it retries it. */
  onWarning(error: unknown): void;
}

/** Creates the drift engine, which implements the operations of the sidecar's API (contract 9). */
export async function createDriftEngine({ db, threshold, ...deps }: Deps) {
  const { currentWindow, outcomeDelay, referenceOf, clock, onWarning } = deps;
  const store = sampleStore(db);
  const checks = driftCheckStore(db);
  const window = createSampleWindow({ db, store, window: currentWindow, referenceOf, clock });
  const profiles = createProfiles({
    store,
    saved: savedProfileStore(db),
    window,
    youngRows: createYoungRows({ db, delay: outcomeDelay, clock }),
  });
  const categoryLimit = createCategoryLimit();
  let isStarted = false;
  await Promise.all([store.prepare(), checks.prepare(), profiles.load()]);

  // Concurrent transactions on the same set and stage would conflict and restart each other.
  const serial = createKeyedSerial();
  const warmUp = createWarmUp(warm, onWarning);
  const ready = warm().catch(onWarning);
  const windows = currentWindow ? [currentWindow, ...Object.values(currentWindow.stages ?? {})] : [];
  const expiry = windows.some(({ ms }) => ms !== null)
    ? setInterval(() => warmUp.onChange('current'), EXPIRY_INTERVAL_MS)
    : undefined;

  /** Updates the profiles; expired features and strings no longer count towards the limits then. */
  async function warm(): Promise<void> {
    const hasShrunk = await profiles.warm();
    for (const { partition, tally } of profiles.partitionTallies()) {
      await window.dropFeatures(partition, tally);
    }
    if (isStarted && !hasShrunk) return;
    isStarted = true;
    if (hasShrunk) categoryLimit.clear();
    for (const { partition, tally } of profiles.partitionTallies()) {
      for (const [feature, { categories }] of tally.features) {
        categoryLimit.record(partition, feature, categories.keys());
      }
    }
  }

  /** Stages and features of requests that are being stored, which the limits count as well. */
  const storing = new Set<Pick<Partition, 'stage' | 'features'>>();

  /**
   * Calls `add` unless the samples would exceed a limit. The checks run one at a time, because concurrent ones would
   * each find the same room.
   * @throws AppError VALIDATION_FAILED
   */
  async function withinLimits(samples: Samples, add: () => Promise<void>): Promise<void> {
    const { stage, encoded } = samples;
    const added = { stage, features: [...encoded.block.columns.keys()] };
    await serial('limits', async () => {
      // Taken before the list is read: a request that is stored in between would be missing in both.
      const pending = [...storing];
      requireRoom(samples, [...pending, ...(await store.list())]);
      storing.add(added);
    });
    await add().finally(() => storing.delete(added));
  }

  /** @throws AppError VALIDATION_FAILED */
  function requireRoom(
    { set, stage, encoded: { block } }: Samples,
    partitions: readonly Pick<Partition, 'stage' | 'features'>[],
  ): void {
    const stages = new Set([stage, ...partitions.map((partition) => partition.stage)]);
    if (stages.size > MAX_STAGES)
      throw invalid('stage', `would be a new stage, but the maximum of ${MAX_STAGES} stages is reached`);
    const features = new Set([
      ...block.columns.keys(),
      ...partitions.flatMap((partition) => partition.features),
    ]);
    for (const name of [PREDICTION, RESIDUAL]) features.delete(name);
    if (features.size > MAX_FEATURES) {
      throw invalid(
        'rows',
        `would raise the number of features to ${features.size}; the maximum is ${MAX_FEATURES}`,
      );
    }
    const rejectedFeature = categoryLimit.admit({ set, stage }, block);
    if (rejectedFeature === null) return;
    throw invalid(
      'rows',
      `would raise the number of distinct strings above ${MAX_CATEGORIES} (feature ${rejectedFeature})`,
    );
  }

  return {
    /**
     * Adds the samples of a request, all or none, and returns the number of rows. Requests for the same set and stage
     * are stored in the order of the calls.
     */
    async addSamples(
      body: Uint8Array,
      format: SamplesFormat,
    ): Promise<{ set: SampleSet; stage: string | null; added: number }> {
      const samples = readSamples(body, format);
      const { set, stage, encoded } = samples;
      const { block, outcomes } = encoded;
      try {
        await serial(JSON.stringify([set, stage]), async () => {
          await withinLimits(samples, async () => {
            if (block.rows === 0) return;
            const counting = profiles.countAhead({ stage }, block);
            try {
              const partition = await store.add(set, stage, encoded);
              profiles.onAdded(partition, block, await counting);
            } finally {
              (await counting).release();
            }
          });
        });
        if (block.rows > 0) warmUp.onChange(set);
        return { set, stage, added: block.rows };
      } finally {
        releaseBlock(block);
        releaseBuffer(outcomes.buffer);
      }
    },

    /** Removes the samples of a set, or of one stage of it. */
    async removeSamples(set: SampleSet, stage: string | undefined) {
      const removed = await store.remove(set, stage);
      categoryLimit.forget(set, stage);
      warmUp.onChange(set);
      return { set, stage: stage ?? null, removed };
    },

    ...driftReports({
      store,
      window,
      profiles,
      checks,
      settings: featureSettingStore(db),
      exampleRows: createExampleRows(db),
      weeklyPerformance: createWeeklyPerformance(db),
      selectRows: createRowSelection({ db, window: currentWindow, delay: outcomeDelay }),
      referenceOf,
      threshold,
      clock,
    }),

    /** Waits for background work and saves the counts for the next start. */
    async close(): Promise<void> {
      clearInterval(expiry);
      await ready;
      await warmUp.stop();
      await profiles.save();
    },
  };
}

export type DriftEngine = Awaited<ReturnType<typeof createDriftEngine>>;
