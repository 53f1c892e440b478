import { AppError, invalid } from '../errors/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { createKeyedSerial } from '../platform/keyed-serial.ts';
import type { DriftReference } from '../shared/drift-references.ts';
import type { driftCheckStore, HistoryEntry, HistoryFilter } from './drift-checks.store.ts';
import type { featureSettingStore } from './feature-settings.store.ts';
import type { createWeeklyPerformance, WeeklyPerformance } from './performance/weekly-performance.ts';
import type { Profiles, ScopeHistograms } from './profiles/profiles.ts';
import { histogramsOfSelection } from './profiles/selected-histograms.ts';
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
import type { RowSelection, SelectRows } from './samples/row-selection.ts';
import { type Partition, type SampleStore, SamplesChangedError } from './samples/sample.store.ts';
import type { SampleWindow } from './samples/sample-window.ts';
import type { SampleSet } from './samples/samples.types.ts';

/** `GET /drift/status`. */
interface DriftStatus extends DriftReport {
  method: 'psi';
  lastChecked: string;
  /** Null for all samples. */
  stage: string | null;
  reference: DriftReference;
}

/** `POST /drift/check`. */
interface CheckResult extends DriftReport {
  success: true;
  /** Absent for a repeated check, which is not stored. */
  id?: string;
  /** Null for all samples. */
  stage: string | null;
  reference: DriftReference;
  /** End of the current window of a repeated check. */
  at?: string;
  checkedAt: string;
}

interface CheckOptions {
  /** `DRIFT_REFERENCE` if absent. */
  reference?: DriftReference | undefined;
  /** End of the current window, to repeat a check of that time; absent for a check of today. */
  at?: Date | undefined;
}

/** What a comparison reads. `at` is undefined for the present. */
interface Compared {
  stage: string | undefined;
  reference: DriftReference;
  at?: Date | undefined;
}

/** An entry of `GET /drift/stages`. */
interface StageRows {
  stage: string;
  rows: SampleCounts;
}

/** Maximum number of features of a check with ids of example rows. */
const MAX_EXEMPLIFIED = 5;
/** Attempts at a comparison by time while rows are removed. */
const MAX_ATTEMPTS = 5;
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
  selectRows: SelectRows;
  /** Returns the reference of a stage by `DRIFT_REFERENCE`; null for all samples. */
  referenceOf: (stage: string | null) => DriftReference;
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
  selectRows,
  referenceOf,
  threshold,
  clock,
}: Deps) {
  const currentSettings = async (): Promise<DriftSettings> => ({
    threshold,
    features: await settings.list(),
  });

  // Comparisons by time keep the values of some features at once, which bounds the memory of one comparison.
  const serial = createKeyedSerial();

  /** @throws AppError NOT_FOUND if the stage has no samples */
  const withSelection = <T>(
    { stage, reference, at }: Compared,
    use: (histograms: ScopeHistograms, selection: RowSelection) => T,
  ): Promise<T> =>
    serial('selection', async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const selection = await selectRows(stage, { reference, at: at ?? clock.now() });
          if (stage !== undefined && !selection.hasRows) throw noSamples(stage);
          return use(await histogramsOfSelection(selection), selection);
        } catch (error) {
          if (!(error instanceof SamplesChangedError) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    });

  /**
   * Calls `use` with the histograms of a stage, or of all samples. The present comparison with the reference set uses
   * the profiles; any other one reads the rows, and passes the selected ones.
   * @throws AppError NOT_FOUND if the stage has no samples
   */
  const withSamples = <T>(
    compared: Compared,
    use: (histograms: ScopeHistograms, selection: RowSelection | null) => T,
  ): Promise<T> => {
    const { stage } = compared;
    if (compared.reference !== 'fixed' || compared.at !== undefined) return withSelection(compared, use);
    return profiles.withHistograms(stage, (histograms) => {
      const { reference, current } = histograms;
      if (stage !== undefined && reference.rows + current.rows === 0) throw noSamples(stage);
      return use(histograms, null);
    });
  };

  /** @throws AppError NOT_FOUND if the stage has no samples */
  const compare = (compared: Compared): Promise<{ comparison: Comparison; selection: RowSelection | null }> =>
    withSamples(compared, ({ reference, current, edges }, selection) => {
      const comparison = {
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
      };
      return { comparison, selection };
    });

  /** Adds the ids of some current rows to the worst drifted features. */
  async function withExamples(
    report: DriftReport,
    stage: string | undefined,
    selection: RowSelection | null,
  ): Promise<DriftReport> {
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
      if (largestBin) ids.set(feature, await exampleRows(partitions, feature, largestBin, selection));
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

  /** Reads the newest selected numbers of a feature, an equal number of rows of each stage. */
  async function readSelectedNumbers(
    feature: string,
    set: SampleSet,
    selection: RowSelection,
  ): Promise<Float64Array> {
    const numbers: number[] = [];
    const blocks = selection.blocks(set, [feature], { maxRows: MAX_COMPARED_VALUES });
    for await (const { columns } of blocks)
      for (const value of columns.get(feature)?.numbers ?? []) if (!Number.isNaN(value)) numbers.push(value);
    return Float64Array.from(numbers);
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
      const reference = latest ? (latest.reference ?? 'fixed') : referenceOf(stage ?? null);
      const scores = latest ?? (await compare({ stage, reference })).comparison;
      const report = applySettings(scores, await currentSettings());
      const lastChecked = (latest?.checkedAt ?? clock.now()).toISOString();
      return { ...report, method: 'psi', lastChecked, stage: stage ?? null, reference };
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
      const scope = { stage, reference: referenceOf(stage ?? null) };
      const { compared, selection } = await withSamples(scope, ({ reference, current, edges }, selection) => {
        if (!reference.features.has(feature) && !current.features.has(feature)) {
          throw new AppError('NOT_FOUND', `No samples with feature \`${feature}\`.`);
        }
        const pair = pairOf(feature, reference, current);
        const setting = features.find((candidate) => candidate.feature === feature);
        const comparisons = countComparisons(reference, current);
        const compared = {
          ...applySetting(compareFeature(feature, pair, comparisons), setting, { threshold, comparisons }),
          ...binsOfFeature(feature, pair, edges.get(feature) ?? []),
        };
        return { compared, selection };
      });
      const numbersOf = async (set: SampleSet): Promise<Float64Array> => {
        if (compared.type !== 'numeric') return new Float64Array();
        return selection ? readSelectedNumbers(feature, set, selection) : readNumbers(feature, set, stage);
      };
      return { ...compared, ...compareValues(await numbersOf('reference'), await numbersOf('current')) };
    },

    /**
     * Measures the model by week, with the outcomes and without them.
     * @throws AppError NOT_FOUND if the stage has no samples
     */
    performance: (stage: string | undefined): Promise<WeeklyPerformance> =>
      weeklyPerformance(stage, async () => {
        const partitions = (await window.partitions()).filter(
          (partition) => stage === undefined || partition.stage === stage,
        );
        if (stage !== undefined && partitions.length === 0) throw noSamples(stage);
        return partitions;
      }),

    /** Lists the stages with samples by name. */
    stages: async (): Promise<StageRows[]> =>
      [...stagesOf(await window.partitions())]
        .map(([stage, rows]) => ({ stage, rows }))
        .sort((a, b) => (a.stage < b.stage ? -1 : 1)),

    history: (filter: HistoryFilter): Promise<HistoryEntry[]> => checks.list(filter),

    /**
     * Compares the samples of one stage, or all samples, and stores the result, unless it repeats a check of a past time.
     * @throws AppError NOT_FOUND if the stage has no samples; VALIDATION_FAILED for a time in the future
     */
    async check(stage: string | undefined, { at, ...options }: CheckOptions = {}): Promise<CheckResult> {
      const checkedAt = clock.now();
      if (at && at > checkedAt) throw invalid('at', 'must not be in the future');
      const { reference = referenceOf(stage ?? null) } = options;
      const { comparison, selection } = await compare({ stage, reference, at });
      const judged = applySettings(comparison, await currentSettings());
      const report = await withExamples(judged, stage, selection);
      const check = { stage: stage ?? null, reference, checkedAt };
      const stored = at ? { at: at.toISOString() } : { id: await checks.add(report, check) };
      return { success: true, ...stored, ...check, checkedAt: checkedAt.toISOString(), ...report };
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

/** Sums the rows of each stage; omits rows without a stage. */
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
