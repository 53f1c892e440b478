import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { recently } from './cached-reading.ts';
import { remembered } from './memoize.ts';

/** How long what the database said about the queue is shown again. Milliseconds. */
const QUEUE_FRESH_MS = 5_000;
/** How long the page waits for the database to say it. Milliseconds; Prometheus gives up after 10 s. */
const QUEUE_WITHIN_MS = 2_000;

/** What waits in one lane of the database's queue, for all processes together. */
interface LaneSize {
  lane: string;
  /** Deliveries that could go now. */
  due: number;
  /** Deliveries that are for later, or under way. */
  scheduled: number;
  /** Seconds since the oldest due one became due; 0 when none is. */
  oldestDueAgeSeconds: number;
}

/** Where the numbers come from that are read when the page is asked for. */
export interface WebhookGauges {
  /** Asks the database; may reject, and the series are then left out. */
  queue(): Promise<LaneSize[]>;
  slotsInUse(): number;
  slots: number;
  /** Deliveries accepted here that wait in memory for a slot. */
  waitingHere(): number;
  /** Results of attempts that are not yet written. */
  unwrittenResults(): number;
  /** Units of work that wait for the transaction under way. */
  uncommittedUnits(): number;
}

/** Numbers of deliveries, counted as they are made. */
export function webhookMetrics(registers: Registry[], attemptOutcomes: readonly string[]) {
  const events = new Counter({
    name: 'engagement_webhook_events_total',
    help: 'Events committed, by name.',
    labelNames: ['event'],
    registers,
  });
  const attempts = new Counter({
    name: 'engagement_webhook_delivery_attempts_total',
    help: 'Delivery attempts made, by outcome: succeeded, the class of a status that is none (http_4xx), or why there was no answer.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'engagement_webhook_delivery_attempt_duration_seconds',
    help: 'How long an attempt took, from the look-up of the name to the last byte read, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 12],
    registers,
  });
  const finished = new Counter({
    name: 'engagement_webhook_deliveries_finished_total',
    help: 'Deliveries that an attempt of this process made terminal, by status.',
    labelNames: ['status'],
    registers,
  });
  for (const status of ['succeeded', 'failed']) finished.inc({ status }, 0);
  const latency = new Histogram({
    name: 'engagement_webhook_delivery_latency_seconds',
    help: 'Time from the acceptance of an event to the end of the first attempt of a delivery, of those that this attempt succeeded for.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const eventsOf = remembered((event) => events.labels(event));
  const attemptsOf = remembered((outcome) => ({
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

/** Numbers that are read when the page is asked for. */
export function webhookGauges(registers: Registry[], sources: WebhookGauges): void {
  const queue = recently(sources.queue, QUEUE_FRESH_MS, QUEUE_WITHIN_MS);
  new Gauge({
    name: 'engagement_webhook_queue_depth',
    help: 'Deliveries that wait, by lane (inline: attempts 1 and 2; scheduled: retries) and state (due: could go now; scheduled: later, or under way). Of the whole database; a state counts up to 100,000.',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const { lane, due, scheduled } of (await queue()) ?? []) {
        this.set({ lane, state: 'due' }, due);
        this.set({ lane, state: 'scheduled' }, scheduled);
      }
    },
  });
  new Gauge({
    name: 'engagement_webhook_oldest_due_age_seconds',
    help: 'How long the oldest due delivery of a lane has been due; 0 when none is. Of the whole database.',
    labelNames: ['lane'],
    registers,
    async collect() {
      this.reset();
      for (const { lane, oldestDueAgeSeconds } of (await queue()) ?? [])
        this.set({ lane }, oldestDueAgeSeconds);
    },
  });
  const read = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  read('engagement_webhook_slots_in_use', 'Attempts under way in this process.', sources.slotsInUse);
  read(
    'engagement_webhook_slots',
    'Attempts that may be under way in this process at once.',
    () => sources.slots,
  );
  read(
    'engagement_webhook_waiting_in_memory',
    'Deliveries accepted by this process that wait in its memory for a slot of their endpoint.',
    sources.waitingHere,
  );
  read(
    'engagement_webhook_unwritten_results',
    'Results of attempts that wait in this process to be written.',
    sources.unwrittenResults,
  );
  read(
    'engagement_commit_waiting_units',
    'Units of work that wait in this process for the transaction under way.',
    sources.uncommittedUnits,
  );
}
