import { Gauge, type Registry } from 'prom-client';

/** What is shown of a drift status or check. */
interface Drift {
  driftScore: number;
  isDrifted: boolean;
  featureDrifts: readonly { feature: string; score: number }[];
}

/** Numbers of the scoring model's drift, as this process last read them from the sidecar. */
export function driftMetrics(registers: Registry[]) {
  const score = new Gauge({
    name: 'engagement_drift_score',
    help: 'Overall drift score as last read, 0 to 1.',
    registers,
  });
  const drifted = new Gauge({
    name: 'engagement_drifted',
    help: '1 while the model has drifted, as last read.',
    registers,
  });
  const feature = new Gauge({
    name: 'engagement_drift_feature_score',
    help: 'Population Stability Index of a feature as last read; 0 when nothing has moved, not bounded above.',
    labelNames: ['feature'],
    registers,
  });
  const read = new Gauge({
    name: 'engagement_drift_read_timestamp_seconds',
    help: 'Unix time at which the drift was last read; 0 before the first time.',
    registers,
  });

  return {
    onDrift({ driftScore, isDrifted, featureDrifts }: Drift): void {
      score.set(driftScore);
      drifted.set(isDrifted ? 1 : 0);
      feature.reset();
      for (const drift of featureDrifts) feature.set({ feature: drift.feature }, drift.score);
      read.setToCurrentTime();
    },
  };
}
