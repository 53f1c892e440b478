import type { Types } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { longestDeliveryMs, type RetryDelays } from '../delivery/retry-policy.ts';
import type { SlotOwner } from '../delivery/slots.ts';
import type { RecoverOutage } from '../delivery/sweep/outage-recovery.ts';
import type { CancelBacklog } from './cancel-backlog.ts';
import { hasTripped, nextProbeAt, TRIPPING_DELIVERIES } from './circuit.ts';
import { type EndpointDoc, type ExhaustedDeliveries, hasSameTarget } from './endpoint.model.ts';
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

/** Disables an endpoint by `disable`, which returns false if it changes nothing, and records that in the audit log. */
export type PerformDisabling = (
  disabling: { customerId: number; endpointId: number; reason: DisabledReason },
  disable: () => Promise<boolean>,
) => Promise<boolean>;

interface Deps {
  endpoints: EndpointStore;
  cancelBacklog: CancelBacklog;
  recoverOutage: RecoverOutage;
  performDisabling: PerformDisabling;
  delays: RetryDelays;
  clock: Clock;
  log: Logger;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

/** Results of attempts with one target of an endpoint that are not written yet. */
interface Tally {
  /** The endpoint as the attempts used it. */
  endpoint: EndpointDoc;
  /** Failures since the last success. */
  failures: number;
  /** Some of the deliveries that have failed, by id, up to `TRIPPING_DELIVERIES`. */
  failedDeliveries: Map<string, Types.ObjectId>;
  /** Short code of the last failure. */
  error: string;
  /** True if an attempt has succeeded before these failures. */
  succeeded: boolean;
  /** True if the endpoint is to be reported or disabled, or its circuit opened. */
  failing: boolean;
  /** Deliveries whose attempts have all failed; null if there are none. */
  exhausted: ExhaustedDeliveries | null;
  /** True if an attempt has succeeded, and the recovery from the outage before it has not started. */
  recovering: boolean;
}

const noFailures = () => ({ failures: 0, failedDeliveries: new Map(), failing: false });

/** A delivery whose attempts have all failed. */
interface Exhausted {
  createdAt: Date;
  finishedAt: Date;
}

/** A failed attempt. */
interface Failure {
  deliveryId: Types.ObjectId;
  /** Short code of the failure. */
  error: string;
}

const targetKey = ({ id, targetToken }: EndpointDoc): string => `${id} ${targetToken}`;

/**
 * Disables endpoints that are gone or fail for days, opens and closes their circuits, and reports those that fail or have
 * recovered. Failures are counted in memory and written once per flush and target, so that they add no write to a
 * delivery. A result counts only while the endpoint still has the attempt's target.
 */
export function createAutoDisable(deps: Deps) {
  const { endpoints, cancelBacklog, recoverOutage, performDisabling, delays, clock, log, random } = deps;
  /** By target: a write for a target that was replaced changes nothing. */
  let tallies = new Map<string, Tally>();
  /** The last flush, in progress or queued. */
  let flushing: Promise<void> = Promise.resolve();
  /** A flush that waits for the one in progress; null if none does. */
  let queued: Promise<void> | null = null;

  /** Changes in progress, by target: attempts that end together disable their endpoint once. */
  const disabling = new Map<string, Promise<void>>();

  function tallyOf(endpoint: EndpointDoc): Tally {
    const key = targetKey(endpoint);
    const tally = tallies.get(key) ?? {
      endpoint,
      ...noFailures(),
      error: '',
      succeeded: false,
      exhausted: null,
      recovering: false,
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
    const isDisabled = await performDisabling({ customerId, endpointId, reason }, () =>
      endpoints.disable(endpoint, reason, clock.now()),
    );
    if (!isDisabled) return;
    const cancelled = await cancelBacklog({ customerId, endpointId });
    log.warn({ customerId, endpointId, reason, cancelled }, 'webhook endpoint disabled');
  }

  /** Writes a tally and resets what is written, so that the failure of a later step does not repeat it. */
  async function write(tally: Tally): Promise<void> {
    const failures = { count: tally.failures, deliveries: [...tally.failedDeliveries.values()] };
    const endpoint = await endpoints.addFailures(tally.endpoint, failures, clock.now());
    Object.assign(tally, noFailures());
    if (!endpoint?.enabled || !endpoint.failingSince) return;
    const failingForMs = clock.now().getTime() - endpoint.failingSince.getTime();
    const { failingReported = false } = endpoint;
    const toReport =
      !failingReported && (endpoint.failures >= REPORTED_FAILURES || failingForMs >= REPORTED_AFTER_MS);
    const toDisable = endpoint.failures >= MIN_FAILURES && failingForMs >= FAILING_FOR_MS;
    const toOpen = !toDisable && hasTripped(endpoint, clock.now());
    tally.failing = toReport || toDisable || toOpen;
    if (toOpen) await openCircuit(endpoint, tally.error);
    if (toReport) await endpoints.reportFailing(endpoint, clock.now());
    if (toDisable) await disable(endpoint, 'failing');
    tally.failing = false;
  }

  async function openCircuit(endpoint: EndpointDoc, reason: string): Promise<void> {
    const { customerId, id: endpointId } = endpoint;
    const since = clock.now();
    const probeAt = nextProbeAt(0, since, random());
    const circuit = { state: 'open', since, reason, probeAt, failedProbes: 0 } as const;
    if (await endpoints.openCircuit(endpoint, circuit))
      log.warn({ customerId, endpointId, reason }, 'webhook endpoint circuit opened');
  }

  /** Closes the circuit of an endpoint that has succeeded. It is known from the cache, so that a closed one costs nothing. */
  async function closeCircuit(used: EndpointDoc): Promise<void> {
    const { customerId, id: endpointId } = used;
    const current = await endpoints.current({ customerId, endpointId });
    if (!current?.circuit || !hasSameTarget(current, used)) return;
    if (await endpoints.closeCircuit(used))
      log.info({ customerId, endpointId }, 'webhook endpoint circuit closed');
  }

  /** Writes exhausted deliveries, and reports them if another endpoint of the tenant subscribes to the event. */
  async function writeExhausted(tally: Tally): Promise<void> {
    const { endpoint, exhausted } = tally;
    if (!exhausted) return;
    const isReported = await endpoints.subscribes(endpoint, 'delivery.exhausted', endpoint.id);
    await endpoints.addExhausted(endpoint, exhausted, isReported ? clock.now() : null);
    tally.exhausted = null;
  }

  /** Resets the failures in a row of endpoints after a success. */
  async function endFailures(succeeded: EndpointDoc[]): Promise<void> {
    const recovering = succeeded.filter(({ autoRecover }) => autoRecover);
    // Before the time of the first failure is reset.
    if (recovering.length > 0) await endpoints.noteOutages(recovering, longestDeliveryMs(delays));
    await endpoints.endFailures(succeeded, clock.now());
  }

  /** Starts the recovery from an outage, unless it has to be repeated. One endpoint's error delays no other. */
  async function recover(tally: Tally): Promise<void> {
    const { endpoint } = tally;
    const isStarted = await recoverOutage(endpoint).catch((error: unknown) => {
      log.warn({ err: error, endpointId: endpoint.id }, 'failed to start the recovery after an outage');
      return false;
    });
    tally.recovering = !isStarted;
  }

  /** Restores what could not be written, unless an attempt has succeeded since. */
  function restore({ endpoint, exhausted, ...results }: Tally): void {
    const tally = tallyOf(endpoint);
    if (exhausted) addExhausted(tally, exhausted);
    tally.recovering ||= results.recovering;
    if (tally.succeeded) return;
    tally.failures += results.failures;
    for (const deliveryId of results.failedDeliveries.values()) addFailed(tally, deliveryId);
    tally.error ||= results.error;
    tally.succeeded = results.succeeded;
    tally.failing = results.failing;
  }

  async function flushNow(): Promise<void> {
    const taken = [...tallies.values()];
    tallies = new Map();
    try {
      const succeeded = taken.filter((tally) => tally.succeeded);
      await Promise.all(succeeded.map(({ endpoint }) => closeCircuit(endpoint)));
      if (succeeded.length > 0) await endFailures(succeeded.map(({ endpoint }) => endpoint));
      for (const tally of succeeded) tally.succeeded = false;
      // After earlier successes are written: otherwise they would add to the failures before these.
      for (const tally of taken) if (tally.failures > 0 || tally.failing) await write(tally);
      for (const tally of taken) await writeExhausted(tally);
      await Promise.all(taken.filter(({ recovering }) => recovering).map(recover));
    } finally {
      for (const tally of taken) if (isUnwritten(tally)) restore(tally);
    }
  }

  return {
    succeeded(endpoint: EndpointDoc): void {
      Object.assign(tallyOf(endpoint), { ...noFailures(), succeeded: true, recovering: true });
    },
    failed(endpoint: EndpointDoc, { deliveryId, error }: Failure): void {
      const tally = tallyOf(endpoint);
      tally.failures += 1;
      tally.error = error;
      addFailed(tally, deliveryId);
    },
    /** Schedules the probe after a failed one. Otherwise it follows when the time of the failed one is over. */
    async probeFailed(endpoint: EndpointDoc, reason: string): Promise<void> {
      const nextAt = nextProbeAt((endpoint.circuit?.failedProbes ?? 0) + 1, clock.now(), random());
      await endpoints.endProbe(endpoint, { reason, nextAt }).catch((error: unknown) => {
        log.warn({ err: error, endpointId: endpoint.id }, 'failed to schedule the next probe');
      });
    },
    /** Counts a delivery whose attempts have all failed, once that is written. */
    exhausted(endpoint: EndpointDoc, { createdAt, finishedAt }: Exhausted): void {
      addExhausted(tallyOf(endpoint), { count: 1, createdSince: createdAt, finishedSince: finishedAt });
    },
    /** Notes deliveries that are exhausted because their last attempt was interrupted: they are not reported, but recovered. */
    interrupted({ customerId, endpointId }: SlotOwner, exhausted: ExhaustedDeliveries): void {
      endpoints
        .addExhausted({ customerId, id: endpointId }, exhausted, null)
        .catch((error: unknown) =>
          log.warn({ err: error, endpointId }, 'failed to note exhausted deliveries'),
        );
    },
    /** Disables an endpoint whose receiver wants no more events. */
    gone: (endpoint: EndpointDoc) => disable(endpoint, 'gone'),
    /**
     * Writes the counts; those that cannot be written are kept for the next flush. While one is in progress, calls share the
     * one that follows it.
     */
    flush(): Promise<void> {
      queued ??= flushing
        .catch(() => {})
        .then(() => {
          queued = null;
          return flushNow();
        });
      flushing = queued;
      return flushing;
    },
  };
}

const isUnwritten = ({ succeeded, failures, failing, exhausted, recovering }: Tally): boolean =>
  succeeded || failures > 0 || failing || exhausted !== null || recovering;

const earliest = (one: Date, other: Date): Date => (one < other ? one : other);

function addExhausted(tally: Tally, added: ExhaustedDeliveries): void {
  const { exhausted } = tally;
  tally.exhausted = exhausted
    ? {
        count: exhausted.count + added.count,
        createdSince: earliest(exhausted.createdSince, added.createdSince),
        finishedSince: earliest(exhausted.finishedSince, added.finishedSince),
      }
    : added;
}

function addFailed({ failedDeliveries }: Tally, deliveryId: Types.ObjectId): void {
  if (failedDeliveries.size < TRIPPING_DELIVERIES) failedDeliveries.set(deliveryId.toHexString(), deliveryId);
}

export type AutoDisable = ReturnType<typeof createAutoDisable>;
