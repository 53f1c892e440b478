import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RecoverOutage } from '../delivery/sweep/outage-recovery.ts';
import type { CancelBacklog } from './cancel-backlog.ts';
import type { EndpointDoc } from './endpoint.model.ts';
import type { EndpointStore } from './endpoint.store.ts';
import type { DisabledReason } from './endpoint.types.ts';

/** An endpoint is disabled after this long without a success … */
const FAILING_FOR_MS = 5 * 24 * 60 * 60 * 1000;
/** … and at least this many failed attempts (contract 6). */
const MIN_FAILURES = 100;

/** An endpoint is reported as failing after this many failed attempts in a row … */
const REPORTED_FAILURES = 10;
/** … or this long without a success. */
const REPORTED_AFTER_MS = 60 * 60 * 1000;

interface Deps {
  endpoints: EndpointStore;
  cancelBacklog: CancelBacklog;
  recoverOutage: RecoverOutage;
  clock: Clock;
  log: Logger;
}

/** Results of attempts with one target of an endpoint that are not written yet. */
interface Tally {
  /** The endpoint as the attempts used it. */
  endpoint: EndpointDoc;
  /** Failures since the last success. */
  failures: number;
  /** True if an attempt has succeeded before these failures. */
  succeeded: boolean;
  /** True if the endpoint is to be reported or disabled. */
  failing: boolean;
  /** Deliveries whose attempts have all failed. */
  exhausted: number;
}

const targetKey = ({ id, targetToken }: EndpointDoc): string => `${id} ${targetToken}`;

/**
 * Disables endpoints that are gone or fail for days, and reports those that fail or have recovered. Failures are counted
 * in memory and written once per flush and target, so that they add no write to a delivery. A result counts only while the
 * endpoint still has the attempt's target.
 */
export function createAutoDisable({ endpoints, cancelBacklog, recoverOutage, clock, log }: Deps) {
  /** By target: a write for a target that was replaced changes nothing. */
  let tallies = new Map<string, Tally>();
  let flushing: Promise<void> = Promise.resolve();

  /** Changes in progress, by target: attempts that end together disable their endpoint once. */
  const disabling = new Map<string, Promise<void>>();

  function tallyOf(endpoint: EndpointDoc): Tally {
    const key = targetKey(endpoint);
    const tally = tallies.get(key) ?? {
      endpoint,
      failures: 0,
      succeeded: false,
      failing: false,
      exhausted: 0,
    };
    tallies.set(key, tally);
    return tally;
  }

  function disable(endpoint: EndpointDoc, reason: DisabledReason): Promise<void> {
    const key = targetKey(endpoint);
    const running = disabling.get(key) ?? disableNow(endpoint, reason).finally(() => disabling.delete(key));
    disabling.set(key, running);
    return running;
  }

  async function disableNow(endpoint: EndpointDoc, reason: DisabledReason): Promise<void> {
    const { customerId, id: endpointId } = endpoint;
    if (!(await endpoints.disable(endpoint, reason, clock.now()))) return;
    const cancelled = await cancelBacklog({ customerId, endpointId });
    log.warn({ customerId, endpointId, reason, cancelled }, 'webhook endpoint disabled');
  }

  /** Writes a tally and resets what is written, so that the failure of a later step does not repeat it. */
  async function write(tally: Tally): Promise<void> {
    const endpoint = await endpoints.addFailures(tally.endpoint, tally.failures, clock.now());
    Object.assign(tally, { failures: 0, failing: false });
    if (!endpoint?.enabled || !endpoint.failingSince) return;
    const failingForMs = clock.now().getTime() - endpoint.failingSince.getTime();
    const { failures, failingReported = false } = endpoint;
    const toReport = !failingReported && (failures >= REPORTED_FAILURES || failingForMs >= REPORTED_AFTER_MS);
    const toDisable = failures >= MIN_FAILURES && failingForMs >= FAILING_FOR_MS;
    tally.failing = toReport || toDisable;
    if (toReport) await endpoints.reportFailing(endpoint, clock.now());
    if (toDisable) await disable(endpoint, 'failing');
    tally.failing = false;
  }

  /** Reports exhausted deliveries if another endpoint of the tenant subscribes to the event. */
  async function reportExhausted(tally: Tally): Promise<void> {
    const { endpoint, exhausted } = tally;
    if (await endpoints.subscribes(endpoint, 'delivery.exhausted', endpoint.id))
      await endpoints.reportExhausted(endpoint, exhausted, clock.now());
    tally.exhausted = 0;
  }

  /** Starts the recovery from an outage; returns false if it has to be repeated. One endpoint's error delays no other. */
  const hasRecovered = (endpoint: EndpointDoc): Promise<boolean> =>
    recoverOutage(endpoint).catch((error: unknown) => {
      log.warn({ err: error, endpointId: endpoint.id }, 'recovery after an outage failed to start');
      return false;
    });

  /** Restores what could not be written, unless an attempt has succeeded since. */
  function restore({ endpoint, failures, succeeded, failing, exhausted }: Tally): void {
    const tally = tallyOf(endpoint);
    tally.exhausted += exhausted;
    if (tally.succeeded) return;
    tally.failures += failures;
    tally.succeeded = succeeded;
    tally.failing = failing;
  }

  async function flushNow(): Promise<void> {
    const taken = [...tallies.values()];
    tallies = new Map();
    try {
      const succeeded = taken.filter((tally) => tally.succeeded);
      // Before the failures are cleared, since they hold the start of the outage.
      const recovered = await Promise.all(succeeded.map(({ endpoint }) => hasRecovered(endpoint)));
      const cleared = succeeded.filter((_tally, index) => recovered[index]);
      if (cleared.length > 0)
        await endpoints.clearFailures(
          cleared.map(({ endpoint }) => endpoint),
          clock.now(),
        );
      for (const tally of cleared) tally.succeeded = false;
      // Failures after a success that is not written wait for it: they must not be added to those before it.
      for (const tally of taken)
        if (!tally.succeeded && (tally.failures > 0 || tally.failing)) await write(tally);
      for (const tally of taken) if (tally.exhausted > 0) await reportExhausted(tally);
    } finally {
      for (const tally of taken)
        if (tally.succeeded || tally.failures > 0 || tally.failing || tally.exhausted > 0) restore(tally);
    }
  }

  return {
    succeeded(endpoint: EndpointDoc): void {
      Object.assign(tallyOf(endpoint), { failures: 0, succeeded: true, failing: false });
    },
    failed(endpoint: EndpointDoc): void {
      tallyOf(endpoint).failures += 1;
    },
    /** Counts a delivery whose attempts have all failed. */
    exhausted(endpoint: EndpointDoc): void {
      tallyOf(endpoint).exhausted += 1;
    },
    /** Disables an endpoint whose receiver wants no more events. */
    gone: (endpoint: EndpointDoc) => disable(endpoint, 'gone'),
    /** Writes the counts; those that cannot be written are kept for the next flush. */
    flush(): Promise<void> {
      flushing = flushing.catch(() => {}).then(flushNow);
      return flushing;
    },
  };
}

export type AutoDisable = ReturnType<typeof createAutoDisable>;
