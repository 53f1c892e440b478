import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { driftCheckStore, HistoryEntry, HistoryFilter } from './drift-checks.store.ts';
import type { featureSettingStore } from './feature-settings.store.ts';
import type { createWeeklyPerformance, WeeklyPerformance } from './performance/weekly-performance.ts';
import type { Profiles, ScopeHistograms } from './profiles/profiles.ts';
import {
  compareFeature,
  compareSets,
  countComparisons,
  pairOf,
  type SampleCounts,
} from './psi/compare-sets.ts';
import {
  applySetting,
  applySettings,
  type Comparison,
  type DriftReport,
  type DriftSettings,
  type FeatureDrift,
  type FeatureSetting,
} from './psi/drift-report.ts';
import { binsOfFeature, type FeatureBins, largestBinOf } from './psi/feature-bins.ts';
import { compareValues, type ValueComparison } from './psi/value-comparison.ts';
import type { createExampleRows } from './samples/example-rows.ts';
import type { Partition, SampleStore } from './samples/sample.store.ts';
import type { SampleWindow } from './samples/sample-window.ts';
import type { SampleSet } from './samples/samples.types.ts';

/** `GET /drift/status`. */
interface DriftStatus extends DriftReport {
  method: 'psi';
  lastChecked: string;
  /** Null for all samples. */
  stage: string | null;
}

/** `POST /drift/check`. */
interface CheckResult extends DriftReport {
  success: true;
  id: string;
  /** Null for all samples. */
  stage: string | null;
  checkedAt: string;
}

/** An entry of `GET /drift/stages`. */
interface StageRows {
  stage: string;
  rows: SampleCounts;
}

/** Maximum number of features of a check with ids of example rows. */
const MAX_EXEMPLIFIED = 5;
/** Maximum number of rows of a set whose numbers are compared one by one: the newest of each stage. */
const MAX_COMPARED_VALUES = 100_000;

interface Deps {
  store: SampleStore;
  window: SampleWindow;
  profiles: Profiles;
  checks: ReturnType<typeof driftCheckStore>;
  settings: ReturnType<typeof featureSettingStore>;
  exampleRows: ReturnType<typeof createExampleRows>;
  weeklyPerformance: ReturnType<typeof createWeeklyPerformance>;
  /** `DRIFT_THRESHOLD`. */
  threshold: number;
  clock: Clock;
}

/** Creates the operations that compare the sets (contract 9). */
export function driftReports({
  store,
  window,
  profiles,
  checks,
  settings,
  exampleRows,
  weeklyPerformance,
  threshold,
  clock,
}: Deps) {
  const currentSettings = async (): Promise<DriftSettings> => ({
    threshold,
    features: await settings.list(),
  });

  /**
   * Calls `use` with the histograms of a stage, or of all samples.
   * @throws AppError NOT_FOUND if the stage has no samples
   */
  const withSamples = <T>(stage: string | undefined, use: (histograms: ScopeHistograms) => T): Promise<T> =>
    profiles.withHistograms(stage, (histograms) => {
      const { reference, current } = histograms;
      if (stage !== undefined && reference.rows + current.rows === 0) throw noSamples(stage);
      return use(histograms);
    });

  /** @throws AppError NOT_FOUND if the stage has no samples */
  const compare = (stage: string | undefined): Promise<Comparison> =>
    withSamples(stage, ({ reference, current, edges }) => ({
      rows: { reference: reference.rows, current: current.rows },
      featureDrifts: compareSets(reference, current).map((comparison) => {
        const { feature } = comparison;
        const largestBin = largestBinOf(
          feature,
          pairOf(feature, reference, current),
          edges.get(feature) ?? [],
        );
        return { ...comparison, ...(largestBin ? { largestBin } : {}) };
      }),
    }));

  /** Adds the ids of some current rows to the worst drifted features. */
  async function withExamples(report: DriftReport, stage: string | undefined): Promise<DriftReport> {
    const worst = report.featureDrifts
      .filter(({ drifted }) => drifted)
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_EXEMPLIFIED);
    if (worst.length === 0) return report;
    const partitions = (await window.partitions()).filter(
      (partition) => partition.set === 'current' && (stage === undefined || partition.stage === stage),
    );
    const ids = new Map<string, string[]>();
    for (const { feature, largestBin } of worst)
      if (largestBin) ids.set(feature, await exampleRows(partitions, feature, largestBin));
    return {
      ...report,
      featureDrifts: report.featureDrifts.map((drift) => {
        const exampleIds = ids.get(drift.feature) ?? [];
        return exampleIds.length > 0 ? { ...drift, exampleIds } : drift;
      }),
    };
  }

  /** Reads the newest numbers of a feature, an equal number of rows of each stage. */
  async function readNumbers(
    feature: string,
    set: SampleSet,
    stage: string | undefined,
  ): Promise<Float64Array> {
    const partitions = (await window.partitions()).filter(
      (partition) => partition.set === set && (stage === undefined || partition.stage === stage),
    );
    const numbers = new Float64Array(MAX_COMPARED_VALUES);
    let count = 0;
    for (const partition of partitions) {
      const { batches, firstBatch, skippedRows, rows } = partition;
      const quota = Math.floor(MAX_COMPARED_VALUES / partitions.length);
      const share = Math.min(1, quota / rows);
      const from = Math.max(firstBatch, batches + 1 - Math.ceil(share * (batches + 1 - firstBatch)));
      let left = quota;
      for await (const { n, block } of store.blocks(partition, { from, features: [feature] })) {
        const values =
          block.columns.get(feature)?.numbers?.subarray(n === firstBatch ? skippedRows : 0) ?? [];
        for (const value of values) {
          if (left === 0) break;
          left -= 1;
          if (Number.isNaN(value)) continue;
          numbers[count] = value;
          count += 1;
        }
      }
    }
    return numbers.subarray(0, count);
  }

  return {
    /**
     * Returns the latest check of a stage or of all samples under the current settings; if there is none, the result
     * that a check would have now.
     * @throws AppError NOT_FOUND if the stage has no samples
     */
    async status(stage: string | undefined): Promise<DriftStatus> {
      if (stage !== undefined && !stagesOf(await window.partitions()).has(stage)) throw noSamples(stage);
      const latest = await checks.latest(stage ?? null);
      const report = applySettings(latest ?? (await compare(stage)), await currentSettings());
      const lastChecked = (latest?.checkedAt ?? clock.now()).toISOString();
      return { ...report, method: 'psi', lastChecked, stage: stage ?? null };
    },

    /**
     * Compares one feature, the prediction or the residual with all bins, without storing the result.
     * @throws AppError NOT_FOUND if the stage has no samples, or no sample has the feature
     */
    async feature(
      feature: string,
      stage: string | undefined,
    ): Promise<FeatureDrift & FeatureBins & ValueComparison> {
      const features = await settings.list();
      const compared = await withSamples(stage, ({ reference, current, edges }) => {
        if (!reference.features.has(feature) && !current.features.has(feature)) {
          throw new AppError('NOT_FOUND', `No samples with feature \`${feature}\`.`);
        }
        const pair = pairOf(feature, reference, current);
        const setting = features.find((candidate) => candidate.feature === feature);
        const comparisons = countComparisons(reference, current);
        return {
          ...applySetting(compareFeature(feature, pair, comparisons), setting, { threshold, comparisons }),
          ...binsOfFeature(feature, pair, edges.get(feature) ?? []),
        };
      });
      const numbersOf = (set: SampleSet): Promise<Float64Array> =>
        compared.type === 'numeric' ? readNumbers(feature, set, stage) : Promise.resolve(new Float64Array());
      return { ...compared, ...compareValues(await numbersOf('reference'), await numbersOf('current')) };
    },

    /**
     * Measures the model by week, with the outcomes and without them.
     * @throws AppError NOT_FOUND if the stage has no samples
     */
    async performance(stage: string | undefined): Promise<WeeklyPerformance> {
      const partitions = (await window.partitions()).filter(
        (partition) => stage === undefined || partition.stage === stage,
      );
      if (stage !== undefined && partitions.length === 0) throw noSamples(stage);
      return weeklyPerformance(partitions);
    },

    /** Lists the stages with samples by name. */
    stages: async (): Promise<StageRows[]> =>
      [...stagesOf(await window.partitions())]
        .map(([stage, rows]) => ({ stage, rows }))
        .sort((a, b) => (a.stage < b.stage ? -1 : 1)),

    history: (filter: HistoryFilter): Promise<HistoryEntry[]> => checks.list(filter),

    /**
     * Compares the samples of one stage, or all samples, and stores the result.
     * @throws AppError NOT_FOUND if the stage has no samples; nothing is stored then
     */
    async check(stage: string | undefined): Promise<CheckResult> {
      const judged = applySettings(await compare(stage), await currentSettings());
      const report = await withExamples(judged, stage);
      const checkedAt = clock.now();
      const id = await checks.add(report, stage ?? null, checkedAt);
      return { success: true, id, stage: stage ?? null, checkedAt: checkedAt.toISOString(), ...report };
    },

    featureSettings: async (): Promise<{ features: FeatureSetting[] }> => ({
      features: await settings.list(),
    }),

    /** Replaces all weights and thresholds. */
    async setFeatureSettings(features: FeatureSetting[]): Promise<{ features: FeatureSetting[] }> {
      await settings.replace(features);
      return { features };
    },
  };
}

const noSamples = (stage: string): AppError =>
  new AppError('NOT_FOUND', `No samples for stage \`${stage}\`.`);

/** Sums the rows of each stage; those without a stage are left out. */
function stagesOf(partitions: readonly Partition[]): Map<string, SampleCounts> {
  const stages = new Map<string, SampleCounts>();
  for (const { stage, set, rows } of partitions) {
    if (stage === null) continue;
    const counts = stages.get(stage) ?? { reference: 0, current: 0 };
    counts[set] += rows;
    stages.set(stage, counts);
  }
  return stages;
}
