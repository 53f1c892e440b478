import { Gauge, type Registry } from 'prom-client';
import { MAX_STAGES } from '../../shared/drift-limits.ts';
import { cached } from '../cached.ts';
import type { Clock } from '../clock.ts';
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

/** Maximum number of features that have their own series. */
const MAX_FEATURES = 500;
/** Value of the label `stage` in series of all samples; Prometheus treats it like an absent label. */
const ALL_SAMPLES = '';
/** Age from which a reading is not exported. */
const READING_MAX_AGE_MS = 3 * 60 * 60_000;
/** How long what the database has is cached. */
const STORED_MAX_AGE_MS = 5_000;
const STORED_TIMEOUT_MS = 2_000;

const highestFirst = (features: readonly FeatureScore[]) => features.toSorted((a, b) => b.score - a.score);

/** What the series of a scope show. */
interface KeptReading extends Omit<DriftReading, 'stage' | 'featureDrifts'> {
  readAt: Date;
  /** The features with a series, highest score first. */
  features: readonly FeatureScore[];
  /** Undefined if no feature has enough rows. */
  worstFeature: FeatureScore | undefined;
}

interface ReadingGauge<L extends string> {
  name: string;
  help: string;
  labelNames?: readonly L[];
  /** Sets the series of a reading. */
  show: (gauge: Gauge<L>, stage: string, reading: KeptReading) => void;
}

/** Registers the metrics of model drift, as this process last read them from the sidecar within three hours. */
export function driftMetrics(registers: Registry[], clock: Clock) {
  /** Latest reading by stage. */
  const readings = new Map<string, KeptReading>();

  /** Drops readings that are too old: another process may have read other values since. */
  function currentReadings(): ReadonlyMap<string, KeptReading> {
    const oldest = clock.now().getTime() - READING_MAX_AGE_MS;
    for (const [stage, { readAt }] of readings) if (readAt.getTime() < oldest) readings.delete(stage);
    return readings;
  }

  /** Registers a gauge without series until there is a reading, since 0 would be a value. */
  function readingGauge<L extends string>({ name, help, labelNames = [], show }: ReadingGauge<L>): void {
    new Gauge<L>({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        if (labelNames.length === 0) this.remove();
        for (const [stage, reading] of currentReadings()) show(this, stage, reading);
      },
    });
  }

  readingGauge({
    name: 'engagement_drift_score',
    help: 'Overall drift score, 0 to 1, as last read.',
    show: (gauge, stage, { driftScore }) => stage === ALL_SAMPLES && gauge.set(driftScore),
  });
  readingGauge({
    name: 'engagement_drifted',
    help: '1 if the model has drifted, as last read; otherwise 0.',
    show: (gauge, stage, { isDrifted }) => stage === ALL_SAMPLES && gauge.set(isDrifted ? 1 : 0),
  });
  readingGauge({
    name: 'engagement_drift_feature_score',
    help: 'Population Stability Index of a feature, as last read: 0 = unchanged, no upper bound.',
    labelNames: ['feature'],
    show(gauge, stage, { features }) {
      if (stage === ALL_SAMPLES) for (const { feature, score } of features) gauge.set({ feature }, score);
    },
  });
  readingGauge({
    name: 'engagement_drift_stage_score',
    help: 'Drift score of a funnel stage, 0 to 1, as last read.',
    labelNames: ['stage'],
    show: (gauge, stage, { driftScore }) => stage !== ALL_SAMPLES && gauge.set({ stage }, driftScore),
  });
  readingGauge({
    name: 'engagement_drift_stage_drifted',
    help: '1 if the model has drifted in a funnel stage, as last read; otherwise 0.',
    labelNames: ['stage'],
    show: (gauge, stage, { isDrifted }) => stage !== ALL_SAMPLES && gauge.set({ stage }, isDrifted ? 1 : 0),
  });
  readingGauge({
    name: 'engagement_drift_component_score',
    help: 'Component of the drift score, 0 to 1, as last read: features, prediction or outcome. Without a stage, of all samples.',
    labelNames: ['stage', 'component'],
    show(gauge, stage, { components }) {
      for (const [component, value] of Object.entries(components ?? {}))
        if (value !== null) gauge.set({ stage, component }, value);
    },
  });
  readingGauge({
    name: 'engagement_drift_worst_feature_score',
    help: 'Highest Population Stability Index of any feature with enough rows, as last read. Without a stage, of all samples.',
    labelNames: ['stage', 'feature'],
    show(gauge, stage, { worstFeature: worst }) {
      if (worst) gauge.set({ stage, feature: worst.feature }, worst.score);
    },
  });

  return {
    onDrift({ stage: readStage, driftScore, isDrifted, components, featureDrifts }: DriftReading): void {
      const stage = readStage ?? ALL_SAMPLES;
      const current = currentReadings();
      const stages = current.size - (current.has(ALL_SAMPLES) ? 1 : 0);
      if (stage !== ALL_SAMPLES && !current.has(stage) && stages >= MAX_STAGES) return;
      const features = highestFirst(featureDrifts);
      readings.set(stage, {
        ...{ driftScore, isDrifted, components, readAt: clock.now() },
        features: stage === ALL_SAMPLES ? features.slice(0, MAX_FEATURES) : [],
        worstFeature: features.find(({ insufficientData }) => !insufficientData),
      });
    },

    /** Removes the series of stages that no longer have samples. */
    onDriftStages(stages: readonly string[]): void {
      const present = new Set([ALL_SAMPLES, ...stages]);
      for (const stage of readings.keys()) if (!present.has(stage)) readings.delete(stage);
    },

    /** Removes the series of a stage that no longer has samples. */
    onDriftStageRemoved(stage: string): void {
      readings.delete(stage);
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
