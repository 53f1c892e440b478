import { Gauge, type Registry } from 'prom-client';

/** The exported values of a drift status or check. */
interface DriftReading {
  driftScore: number;
  isDrifted: boolean;
  featureDrifts: readonly { feature: string; score: number }[];
}

/** Registers the metrics of model drift, as this process last read them from the sidecar. */
export function driftMetrics(registers: Registry[]) {
  const score = new Gauge({
    name: 'engagement_drift_score',
    help: 'Overall drift score, 0 to 1, as last read.',
    registers,
  });
  const drifted = new Gauge({
    name: 'engagement_drifted',
    help: '1 if the model has drifted, as last read; otherwise 0.',
    registers,
  });
  const feature = new Gauge({
    name: 'engagement_drift_feature_score',
    help: 'Population Stability Index of a feature, as last read: 0 = unchanged, no upper bound.',
    labelNames: ['feature'],
    registers,
  });
  const read = new Gauge({
    name: 'engagement_drift_read_timestamp_seconds',
    help: 'Unix time of the last drift reading; 0 before the first one.',
    registers,
  });

  return {
    onDrift({ driftScore, isDrifted, featureDrifts }: DriftReading): void {
      score.set(driftScore);
      drifted.set(isDrifted ? 1 : 0);
      feature.reset();
      for (const drift of featureDrifts) feature.set({ feature: drift.feature }, drift.score);
      read.setToCurrentTime();
    },
  };
}
