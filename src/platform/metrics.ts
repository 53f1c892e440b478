import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What `GET /metrics` shows, in Prometheus's terms. No label names a tenant, an endpoint or an address.
 * One for each process: there may be several in one test.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'engagement_http_requests_total',
    help: 'Requests answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'engagement_http_request_duration_seconds',
    help: 'How long requests took.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const driftScore = new Gauge({
    name: 'engagement_drift_score',
    help: 'Overall drift score as last read, 0 to 1.',
    registers,
  });
  const isDrifted = new Gauge({
    name: 'engagement_drifted',
    help: '1 while the model has drifted.',
    registers,
  });
  const featureScore = new Gauge({
    name: 'engagement_drift_feature_score',
    help: 'Population Stability Index of a feature as last read.',
    labelNames: ['feature'],
    registers,
  });

  return {
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    onAnswer(answer: { method: string; route: string; status: number; seconds: number }): void {
      const { method, route } = answer;
      requests.inc({ method, route, status: answer.status });
      seconds.observe({ method, route }, answer.seconds);
    },
    onDrift(drift: {
      driftScore: number;
      isDrifted: boolean;
      featureDrifts: readonly { feature: string; score: number }[];
    }): void {
      driftScore.set(drift.driftScore);
      isDrifted.set(drift.isDrifted ? 1 : 0);
      featureScore.reset();
      for (const { feature, score } of drift.featureDrifts) featureScore.set({ feature }, score);
    },
  };
}
