import { Counter, Histogram, type Registry } from 'prom-client';

/** What is counted of an answer. */
interface Answer {
  method: string;
  /** Pattern of the route: an address as it came would make a series of each id. */
  route: string;
  status: number;
  seconds: number;
}

/** Numbers of the HTTP server. */
export function httpMetrics(registers: Registry[]) {
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'engagement_http_requests_total',
    help: 'Requests answered, by method, route pattern and status.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'engagement_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, or to the beginning of one that is streamed, by method, route pattern and status.',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const known = new Map<string, { count: Counter.Internal; duration: Histogram.Internal<string> }>();

  return {
    onAnswer({ method, route, status, seconds }: Answer): void {
      const key = `${status} ${method} ${route}`;
      let series = known.get(key);
      if (!series) {
        const labels = { method, route, status };
        series = { count: requests.labels(labels), duration: durations.labels(labels) };
        known.set(key, series);
      }
      series.count.inc();
      series.duration.observe(seconds);
    },
  };
}
