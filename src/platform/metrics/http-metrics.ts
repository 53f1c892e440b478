import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

interface ResponseSummary {
  method: string;
  /** Route pattern; a path would create a series per id. */
  route: string;
  status: number;
  /** True for a server error, also in the result of a GraphQL operation with another status. */
  isFailed: boolean;
  seconds: number;
}

export function httpMetrics(registers: Registry[]) {
  const requests = new Counter({
    name: 'engagement_http_requests_total',
    help: 'HTTP responses, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const failures = new Counter({
    name: 'engagement_http_failures_total',
    help: 'HTTP responses with a server error: by their status (5xx) or, of GraphQL, in their result.',
    registers,
  });
  const durations = new Histogram({
    name: 'engagement_http_request_duration_seconds',
    help: 'Time from the request headers to the end of the response, or to the start of a streamed one, by method and route pattern.',
    // Without the status: each series of a histogram is as large as ten of a counter.
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const refused = new Counter({
    name: 'engagement_http_connections_refused_total',
    help: 'Connections closed on arrival because too many were open: in the process, or from one client address.',
    labelNames: ['limit'],
    registers,
  });
  for (const limit of ['process', 'address']) refused.inc({ limit }, 0);
  const stalled = new Counter({
    name: 'engagement_http_stalled_connections_total',
    help: 'Connections closed because the client did not read its response.',
    registers,
  });
  const queued = new Gauge({
    name: 'engagement_http_queued_requests',
    help: 'Requests that wait because their API key has the maximum number of requests in execution.',
    registers,
  });
  const queueWaits = new Histogram({
    name: 'engagement_http_queue_wait_seconds',
    help: 'Time that such a request waited until it was executed or refused, or its client disconnected.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers,
  });
  const unsent = new Gauge({
    name: 'engagement_http_unsent_response_bytes',
    help: 'Memory that large reads in execution have reserved, and that responses take until their clients have read them.',
    registers,
  });
  const slowest = new Counter({
    name: 'engagement_http_slowest_readers_total',
    help: 'Connections closed because they were the slowest while unsent responses exceeded their budget.',
    registers,
  });
  const seriesByLabels = new Map<string, { count: Counter.Internal; duration: Histogram.Internal<string> }>();

  return {
    onConnectionRefused: (limit: 'process' | 'address'): void => refused.inc({ limit }),
    onStalledConnection: (): void => stalled.inc(),
    onQueueChange: (change: 1 | -1): void => queued.inc(change),
    onQueueWait: (seconds: number): void => queueWaits.observe(seconds),
    onUnsentBytes: (bytes: number): void => unsent.set(bytes),
    onSlowestReader: (): void => slowest.inc(),
    onResponse({ method, route, status, isFailed, seconds }: ResponseSummary): void {
      if (isFailed) failures.inc();
      const key = `${status} ${method} ${route}`;
      let series = seriesByLabels.get(key);
      if (!series) {
        const labels = { method, route, status };
        series = { count: requests.labels(labels), duration: durations.labels({ method, route }) };
        seriesByLabels.set(key, series);
      }
      series.count.inc();
      series.duration.observe(seconds);
    },
  };
}
