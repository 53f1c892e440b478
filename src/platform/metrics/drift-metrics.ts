import { Gauge, type Registry } from 'prom-client';
import { cached } from '../cached.ts';
import { nullAfter } from '../null-after.ts';
import { storedGauge } from './stored-gauge.ts';

interface FeatureScore {
  feature: string;
  score: number;
  insufficientData: boolean;
}

/** The exported values of a drift status or check. */
interface DriftReading {
  /** Null for all samples. */
  stage: string | null;
  driftScore: number;
  isDrifted: boolean;
  components: { features: number | null; prediction: number | null; outcome: number | null } | null;
  featureDrifts: readonly FeatureScore[];
}

/** Sources of the gauges that all processes share. They query the database; if one rejects, its series are omitted. */
export interface DriftGauges {
  /** Returns the number of drifted subjects by scope. */
  countDrifted: () => Promise<Readonly<Record<string, number>>>;
  /** Returns the time of the last check of all samples; null without scheduled checks. */
  lastCheck: () => Promise<Date | null>;
}

/** Maximum number of features, and of stages, that have their own series. */
const MAX_FEATURES = 500;
const MAX_STAGES = 50;
/** Value of the label `stage` in series of all samples; Prometheus treats it like an absent label. */
const ALL_SAMPLES = '';
/** How long what the database has is cached. */
const STORED_MAX_AGE_MS = 5_000;
const STORED_TIMEOUT_MS = 2_000;

const highestFirst = (features: readonly FeatureScore[]) => features.toSorted((a, b) => b.score - a.score);

/** Registers the metrics of model drift, as this process last read them from the sidecar. */
export function driftMetrics(registers: Registry[]) {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const score = gauge('engagement_drift_score', 'Overall drift score, 0 to 1, as last read.');
  const drifted = gauge('engagement_drifted', '1 if the model has drifted, as last read; otherwise 0.');
  const feature = gauge(
    'engagement_drift_feature_score',
    'Population Stability Index of a feature, as last read: 0 = unchanged, no upper bound.',
    ['feature'],
  );
  const stageScore = gauge(
    'engagement_drift_stage_score',
    'Drift score of a funnel stage, 0 to 1, as last read.',
    ['stage'],
  );
  const stageDrifted = gauge(
    'engagement_drift_stage_drifted',
    '1 if the model has drifted in a funnel stage, as last read; otherwise 0.',
    ['stage'],
  );
  const component = gauge(
    'engagement_drift_component_score',
    'Component of the drift score, 0 to 1, as last read: features, prediction or outcome. Without a stage, of all samples.',
    ['stage', 'component'],
  );
  const worst = gauge(
    'engagement_drift_worst_feature_score',
    'Highest Population Stability Index of any feature with enough rows, as last read. Without a stage, of all samples.',
    ['stage', 'feature'],
  );

  /** Latest reading by stage, with its worst feature; undefined if no feature has enough rows. */
  const readings = new Map<
    string,
    Omit<DriftReading, 'featureDrifts'> & { worstFeature: FeatureScore | undefined }
  >();

  const stagesWithSeries = (): number => readings.size - (readings.has(ALL_SAMPLES) ? 1 : 0);

  function showReadings(): void {
    for (const labelled of [stageScore, stageDrifted, component, worst]) labelled.reset();
    for (const [stage, { driftScore, isDrifted, components, worstFeature }] of readings) {
      if (stage !== ALL_SAMPLES) {
        stageScore.set({ stage }, driftScore);
        stageDrifted.set({ stage }, isDrifted ? 1 : 0);
      }
      for (const [name, value] of Object.entries(components ?? {}))
        if (value !== null) component.set({ stage, component: name }, value);
      if (worstFeature) worst.set({ stage, feature: worstFeature.feature }, worstFeature.score);
    }
  }

  function showOverall({ driftScore, isDrifted, featureDrifts }: DriftReading): void {
    score.set(driftScore);
    drifted.set(isDrifted ? 1 : 0);
    feature.reset();
    for (const drift of highestFirst(featureDrifts).slice(0, MAX_FEATURES))
      feature.set({ feature: drift.feature }, drift.score);
  }

  return {
    onDrift(reading: DriftReading): void {
      const stage = reading.stage ?? ALL_SAMPLES;
      if (stage === ALL_SAMPLES) showOverall(reading);
      else if (!readings.has(stage) && stagesWithSeries() >= MAX_STAGES) return;
      const { featureDrifts, ...scores } = reading;
      const [worstFeature] = highestFirst(featureDrifts.filter(({ insufficientData }) => !insufficientData));
      readings.set(stage, { ...scores, worstFeature });
      showReadings();
    },

    /** Removes the series of stages that no longer have samples. */
    onDriftStages(stages: readonly string[]): void {
      const present = new Set([ALL_SAMPLES, ...stages]);
      for (const stage of readings.keys()) if (!present.has(stage)) readings.delete(stage);
      showReadings();
    },

    /** Removes the series of a stage that no longer has samples. */
    onDriftStageRemoved(stage: string): void {
      if (readings.delete(stage)) showReadings();
    },
  };
}

/** Registers the gauges of drifted subjects and of the last check, which all processes share. */
export function driftGauges(registers: Registry[], { countDrifted, lastCheck }: DriftGauges): void {
  storedGauge({
    name: 'engagement_drift_checked_timestamp_seconds',
    help: 'Unix time of the last drift check of all samples of the default model by any process; before the first one, the start of this process. Absent without scheduled checks.',
    registers,
    read: cached(
      () =>
        nullAfter(STORED_TIMEOUT_MS, async () => {
          const at = await lastCheck();
          return at && at.getTime() / 1000;
        }),
      STORED_MAX_AGE_MS,
    ),
  });
  // Null while the database is down: `GET /metrics` then omits the series.
  const counts = cached(() => nullAfter(STORED_TIMEOUT_MS, countDrifted), STORED_MAX_AGE_MS);
  new Gauge({
    name: 'engagement_drift_detected',
    help: 'Number of subjects of drift alerts that are drifted, for all processes, by scope: overall (one per model), stages, features.',
    labelNames: ['scope'],
    registers,
    async collect() {
      this.reset();
      for (const [scope, count] of Object.entries((await counts()) ?? {})) this.set({ scope }, count);
    },
  });
}
