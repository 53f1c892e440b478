import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { cached } from '../cached.ts';
import { nullAfter } from '../null-after.ts';
import { memoize } from './memoize.ts';
import { storedGauge } from './stored-gauge.ts';

/** How long the queue depth is cached. */
const QUEUE_MAX_AGE_MS = 5_000;
/** Timeout of the queue depth query, below the 10 s scrape timeout of Prometheus. */
const QUEUE_TIMEOUT_MS = 2_000;

/** Depth of one lane of the queue. */
interface LaneDepth {
  lane: string;
  /** Number of deliveries that can be attempted now. */
  due: number;
  /** Number of deliveries due later or in progress. */
  scheduled: number;
  /** Time since the oldest due delivery became due; 0 if none is due. */
  oldestDueAgeSeconds: number;
}

/** Depth of the queue, which all processes share. */
interface QueueDepth {
  lanes: LaneDepth[];
  /** Number of deliveries that are due and wait until their endpoint may receive them, by the reason. */
  waiting: Record<string, number>;
  /** Endpoints with the longest backlogs, at most ten. */
  backlogs: EndpointBacklog[];
}

interface EndpointBacklog {
  customerId: number;
  endpointId: number;
  /** Number of due deliveries. */
  waiting: number;
  /** What they wait for; null if the service is late. */
  reason: string | null;
}

/** Sources of the gauges, read at every scrape. */
export interface WebhookGauges {
  /** Queries the database; if it rejects, the series are omitted. */
  queue(): Promise<QueueDepth>;
  /** Number of endpoints whose circuit is not closed. Queries the database, as `queue`. */
  openCircuits(): Promise<number>;
  slotsInUse(): number;
  slots: number;
  /** Number of claimed deliveries that wait in this process for a slot. */
  dispatcherBacklog(): number;
  /** Number of attempt results that are not yet stored. */
  unwrittenResults(): number;
  /** Number of units of work queued behind the current transaction. */
  uncommittedUnits(): number;
}

/** Registers the counters and histograms of webhook delivery. */
export function webhookMetrics(registers: Registry[], attemptOutcomes: readonly string[]) {
  const events = new Counter({
    name: 'engagement_webhook_events_total',
    help: 'Committed events, by name.',
    labelNames: ['event'],
    registers,
  });
  const attempts = new Counter({
    name: 'engagement_webhook_delivery_attempts_total',
    help: 'Delivery attempts, by outcome: succeeded, the class of an error status (http_4xx), or the reason why there was no response.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'engagement_webhook_delivery_attempt_duration_seconds',
    help: 'Duration of an attempt, from the DNS lookup to the last byte read, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12, 30],
    registers,
  });
  const finished = new Counter({
    name: 'engagement_webhook_deliveries_finished_total',
    help: 'Deliveries that reached a terminal status by an attempt of this process, by status.',
    labelNames: ['status'],
    registers,
  });
  for (const status of ['succeeded', 'failed']) finished.inc({ status }, 0);
  const latency = new Histogram({
    name: 'engagement_webhook_delivery_latency_seconds',
    help: 'Time from the acceptance of an event to the end of a successful first attempt of its delivery.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const eventsOf = memoize((event) => events.labels(event));
  const attemptsOf = memoize((outcome) => ({
    count: attempts.labels(outcome),
    duration: durations.labels(outcome),
  }));
  for (const outcome of attemptOutcomes) attemptsOf(outcome).count.inc(0);

  return {
    onEvent: (event: string): void => eventsOf(event).inc(),
    onAttempt(outcome: string, seconds: number): void {
      const { count, duration } = attemptsOf(outcome);
      count.inc();
      duration.observe(seconds);
    },
    onFirstSuccess: (seconds: number): void => latency.observe(seconds),
    onFinished: (status: 'succeeded' | 'failed'): void => finished.inc({ status }),
  };
}

/** Registers the gauges of webhook delivery; each scrape reads their sources. */
export function webhookGauges(registers: Registry[], sources: WebhookGauges): void {
  // Null while the database is down: `GET /metrics` then omits some series, but stays available.
  const queue = cached(() => nullAfter(QUEUE_TIMEOUT_MS, sources.queue), QUEUE_MAX_AGE_MS);
  new Gauge({
    name: 'engagement_webhook_queue_depth',
    help: 'Queued deliveries of all processes, by lane (inline: attempts 1 and 2; scheduled: later retries) and state (due: can be attempted now; scheduled: due later or in progress). Counted up to 100,000 per state.',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const { lane, due, scheduled } of (await queue())?.lanes ?? []) {
        this.set({ lane, state: 'due' }, due);
        this.set({ lane, state: 'scheduled' }, scheduled);
      }
    },
  });
  new Gauge({
    name: 'engagement_webhook_oldest_due_age_seconds',
    help: 'How late the service is: time since the oldest due delivery of a lane became due that waits for nothing of its own endpoint, for all processes; 0 if there is none.',
    labelNames: ['lane'],
    registers,
    async collect() {
      this.reset();
      for (const { lane, oldestDueAgeSeconds } of (await queue())?.lanes ?? [])
        this.set({ lane }, oldestDueAgeSeconds);
    },
  });
  new Gauge({
    name: 'engagement_webhook_waiting_deliveries',
    help: 'Deliveries of all processes that are due and wait until their endpoint may receive them, by reason. They are not part of engagement_webhook_queue_depth with the state due. Counted up to 100,000 per lane and reason.',
    labelNames: ['reason'],
    registers,
    async collect() {
      this.reset();
      for (const [reason, count] of Object.entries((await queue())?.waiting ?? {}))
        this.set({ reason }, count);
    },
  });
  new Gauge({
    name: 'engagement_webhook_endpoint_waiting_deliveries',
    help: 'Due deliveries of the ten endpoints with the longest backlogs, by what they wait for; service: for the service itself. An endpoint has a backlog when its oldest due delivery is 10 s late. Counted up to 10,000.',
    labelNames: ['customer', 'endpoint', 'reason'],
    registers,
    async collect() {
      this.reset();
      for (const { customerId, endpointId, waiting, reason } of (await queue())?.backlogs ?? [])
        this.set({ customer: customerId, endpoint: endpointId, reason: reason ?? 'service' }, waiting);
    },
  });
  storedGauge({
    name: 'engagement_webhook_open_circuits',
    help: 'Endpoints of all customers whose circuit is open or half open: their receivers are down, and they are probed with one delivery at a time.',
    registers,
    read: cached(() => nullAfter(QUEUE_TIMEOUT_MS, sources.openCircuits), QUEUE_MAX_AGE_MS),
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('engagement_webhook_slots_in_use', 'Attempts in progress in this process.', sources.slotsInUse);
  gauge(
    'engagement_webhook_slots',
    'Maximum number of concurrent attempts in this process.',
    () => sources.slots,
  );
  gauge(
    'engagement_webhook_waiting_in_memory',
    'Deliveries that wait in the memory of this process for a slot of their endpoint.',
    sources.dispatcherBacklog,
  );
  gauge(
    'engagement_webhook_unwritten_results',
    'Attempt results that this process has not stored yet.',
    sources.unwrittenResults,
  );
  gauge(
    'engagement_commit_waiting_units',
    'Units of work that wait in this process for the current transaction.',
    sources.uncommittedUnits,
  );
}
