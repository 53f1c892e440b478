import type { RecurringJob } from '../../jobs/recurring-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import type { ApiKeyStore, ReminderWindow } from '../tenants/api-key.store.ts';
import type { StoredApiKey } from '../tenants/tenants.model.ts';
import type { OperationalEvents } from '../webhooks/operational-events.ts';

const INTERVAL_MS = 600_000;
/** Interval while more reminders are due than a run sends. Milliseconds. */
const BUSY_INTERVAL_MS = 1_000;
/** Reminders of each period that one run sends. */
const KEYS_PER_RUN = 500;

interface Deps {
  storedKeys: Pick<ApiKeyStore, 'withReminderDue' | 'reminded'>;
  outbox: Outbox;
  operationalEvents: OperationalEvents;
  /** Times before its expiry at which a key is reported; empty for never. */
  remindersMs: readonly number[];
  clock: Clock;
  log: Logger;
}

/**
 * The job that reports API keys before they expire. One commit records the reminder in the key and publishes the event,
 * so each is sent once, whatever happens to the processes. If several are due, only the latest one is sent.
 */
export function createKeyExpiry({ storedKeys, outbox, operationalEvents, remindersMs, clock, log }: Deps) {
  const periods = remindersMs.toSorted((one, other) => one - other);

  /** Returns the window of each period: from where the next shorter one begins. */
  function windows(now: Date): ReminderWindow[] {
    const after = (ms: number) => new Date(now.getTime() + ms);
    return periods.map((beforeMs, index) => ({
      from: after(periods[index - 1] ?? 0),
      until: after(beforeMs),
      beforeMs,
    }));
  }

  async function eventsOf(key: StoredApiKey, now: Date): Promise<OutboxEvent[]> {
    const { _id, customerId, name = null, scope, expiresAt, lastUsedAt } = key;
    if (customerId === null) return [];
    const data = {
      ...{ keyId: _id.toHexString(), name, scope },
      expiresAt: (expiresAt ?? now).toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    };
    return operationalEvents({ customerId }, { event: 'key.expiring', data, now });
  }

  async function remind(window: ReminderWindow, id: string): Promise<void> {
    const { result: key } = await outbox.commit(
      async () => {
        const [due] = await storedKeys.withReminderDue(window, { id, limit: 1 });
        if (!due) return { writes: [], events: [], result: null };
        const now = clock.now();
        return { writes: [storedKeys.reminded(due, now)], events: await eventsOf(due, now), result: due };
      },
      // A tenant at its limit of stored events is still reminded.
      { tenant: null },
    );
    // No customer's endpoint receives events about it.
    if (key?.scope === 'admin')
      log.warn({ keyId: id, expiresAt: key.expiresAt }, 'an admin key expires soon');
  }

  /** Sends the reminders that are due. Returns true if there may be more. */
  async function run(): Promise<boolean> {
    let isFull = false;
    for (const window of windows(clock.now())) {
      const due = await storedKeys.withReminderDue(window, { limit: KEYS_PER_RUN });
      isFull ||= due.length === KEYS_PER_RUN;
      for (const { _id } of due) {
        const id = _id.toHexString();
        await remind(window, id).catch((error: unknown) =>
          log.warn({ err: error, keyId: id }, 'failed to remind of the expiry of an API key'),
        );
      }
    }
    return isFull;
  }

  return {
    jobs: [
      { name: 'keys.expiry', every: INTERVAL_MS, busyEvery: BUSY_INTERVAL_MS, run },
    ] satisfies RecurringJob[],
  };
}
