import { Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import type { Logger } from '../../platform/logger.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import { isUnavailable } from '../../platform/mongo/unavailable.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxEvent } from '../outbox/outbox-event.ts';
import type { OperationalEvents } from '../webhooks/operational-events.ts';
import { type AuditEntryDoc, type AuditIntentDoc, SERVICE_LOG } from './audit.model.ts';
import type { AuditFilter, AuditStore } from './audit.store.ts';
import type {
  AuditAct,
  AuditActor,
  AuditEntry,
  AuditOutcome,
  AuditResult,
  AuditState,
} from './audit.types.ts';
import { checkpointSignatureOf, hashOf, signatureOf } from './audit-chain.ts';
import { idText, parseState, toEntry } from './audit-documents.ts';
import { auditKeys } from './audit-keys.ts';
import { auditRetention } from './audit-retention.ts';
import { auditVerification, VERIFY_INTERVAL_MS, type VerificationDeps } from './audit-verification.ts';
import { changesBetween } from './audited-states.ts';
import { endOf } from './log-end.ts';
import { createRefusals } from './refusals.ts';

/** Time without a sign of its process after which an act without an outcome is recorded as `unknown`. Milliseconds. */
const ABANDONED_AFTER_MS = 15 * 60 * 1000;
/** Interval at which a process reports that an act, such as an export, is in progress. Milliseconds. */
const RENEW_INTERVAL_MS = ABANDONED_AFTER_MS / 3;
/** Abandoned acts recorded in one run of the sweep. */
const SWEEP_LIMIT = 500;
/** Failures after which a run of the sweep passes over the acts of a log, whose head was changed. */
const MAX_SWEEP_FAILURES = 10;
const SWEEP_INTERVAL_MS = 60_000;
/** Longest JSON of a state; a longer one is recorded as the names of its members. */
const MAX_STATE_CHARACTERS = 16_384;

export interface AuditDeps {
  store: AuditStore;
  outbox: Outbox;
  cipher: Cipher;
  operationalEvents: OperationalEvents;
  expiryOf: VerificationDeps['expiryOf'];
  clock: Clock;
  log: Logger;
}

/** What an act has changed; null for nothing. */
type Described = AuditResult | null;

/** Change of an act that changed nothing, or whose change is not known. */
const UNCHANGED = { before: null, after: null } as const;

const logOf = (customerId: number | null): number => customerId ?? SERVICE_LOG;

/** Returns the state as text; null for none. */
function stateText(state: AuditState | null): string | null {
  if (state === null) return null;
  const text = JSON.stringify(state);
  return text.length <= MAX_STATE_CHARACTERS ? text : JSON.stringify({ members: Object.keys(state) });
}

/** True if an act that ended with this error has changed nothing. */
const changedNothing = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/**
 * The audit log: one log per tenant, and one of the service for acts that concern no tenant.
 *
 * An act is recorded in two steps. Before it begins, its intent is durable. When it has ended, the entry is appended, and
 * the intent removed, in one commit. If the process dies in between, or the database fails, a job appends an entry with
 * the outcome `unknown`. So an act without an entry, or the promise of one, does not exist; and an act on another system,
 * such as the sidecar, is recorded in the same way.
 */
export function auditService(deps: AuditDeps) {
  const { store, outbox, cipher, operationalEvents, expiryOf, clock, log } = deps;
  const keys = auditKeys({ store, cipher });
  const { headOf, keyOf } = keys;
  const verification = auditVerification({ store, auditKeys: keys, expiryOf, clock, log });

  async function eventsOf(entry: AuditEntryDoc): Promise<OutboxEvent[]> {
    const customerId = entry.log;
    if (customerId === SERVICE_LOG) return [];
    const { _id, action, actor, target, outcome, count, at } = entry;
    const data = {
      auditEntryId: _id.toHexString(),
      action,
      actorType: actor.type,
      actorId: actor.id ?? null,
      targetType: target.type,
      targetId: target.id ?? null,
      outcome,
      count,
      recordedAt: at.toISOString(),
    };
    return operationalEvents({ customerId }, { event: 'audit.recorded', data, now: clock.now() });
  }

  interface Outcome extends AuditResult {
    outcome: AuditOutcome;
    count: number;
  }

  const appendInTurn = createKeyedSerial();

  /**
   * Appends the entry of an act. Appends to one log follow each other, because each changes its head: at the same time,
   * they would conflict and repeat each other.
   */
  const append = (act: AuditIntentDoc, ...rest: [{ hasIntent: boolean }, Outcome]): Promise<void> =>
    appendInTurn(String(act.log), () => commitEntry(act, ...rest));

  /** @param hasIntent true to remove the stored intent of the act in the same commit */
  async function commitEntry(
    act: AuditIntentDoc,
    { hasIntent }: { hasIntent: boolean },
    { outcome, count, target, before, after }: Outcome,
  ): Promise<void> {
    const { result: adopted } = await outbox.commit(
      async () => {
        const isRecorded = hasIntent
          ? !(await store.intentExists(act))
          : (await store.find(act.log, act._id)) !== null;
        if (isRecorded) return { writes: [], events: [], result: 0 };
        const head = await headOf(act.log);
        const key = keyOf(head);
        const end = await endOf(head, { key, store });
        const entry = {
          ...act,
          target,
          outcome,
          count,
          before: stateText(before),
          after: stateText(after),
          previousHash: end.hash,
        };
        const isAuthentic = signatureOf(key, head) === head.signature;
        const hash = hashOf(key, entry);
        const stored = { ...entry, sequence: end.sequence + 1, hash };
        // A head that was changed keeps its signature: an own one would hide the change from the verification.
        const signature = isAuthentic
          ? signatureOf(key, { _id: act.log, sequence: stored.sequence, hash })
          : head.signature;
        const { removedUpTo } = end;
        const checkpoint = removedUpTo && {
          ...removedUpTo,
          signature: checkpointSignatureOf(key, act.log, removedUpTo),
        };
        const changes = { signature, ...(checkpoint && { checkpoint }) };
        return {
          writes: [...store.append(head, stored, changes), ...(hasIntent ? [store.completion(act)] : [])],
          events: await eventsOf(stored),
          result: end.sequence - head.sequence,
        };
      },
      { tenant: null },
    );
    if (adopted > 0)
      log.warn({ log: act.log, entries: adopted }, 'the head of an audit log was behind its entries');
  }

  const newAct = ({ customerId, ...act }: AuditAct): AuditIntentDoc => {
    const at = clock.now();
    return { _id: newObjectId(at), log: logOf(customerId), at, ...act };
  };

  /**
   * Records acts that have begun, and whose outcome is not recorded. An act that cannot be recorded stays for the next run,
   * and delays no act of another log.
   */
  async function sweep(): Promise<boolean> {
    const abandoned = new Date(clock.now().getTime() - ABANDONED_AFTER_MS);
    const failures = new Map<number, number>();
    let recorded = 0;
    for await (const { renewedAt: _, ...intent } of store.intentsBefore(abandoned)) {
      const failed = failures.get(intent.log) ?? 0;
      if (failed === MAX_SWEEP_FAILURES) continue;
      try {
        await append(
          intent,
          { hasIntent: true },
          { ...UNCHANGED, target: intent.target, outcome: 'unknown', count: 1 },
        );
        recorded += 1;
      } catch (error) {
        if (isUnavailable(error)) throw error;
        failures.set(intent.log, failed + 1);
        log.error(
          { err: error, log: intent.log, intent: idText(intent._id) },
          'audit entry cannot be recorded',
        );
      }
      if (recorded === SWEEP_LIMIT) return true;
    }
    return false;
  }

  const refusals = createRefusals({
    newAct,
    record: (act, count) =>
      append(act, { hasIntent: false }, { ...UNCHANGED, target: act.target, outcome: 'refused', count }),
  });

  /**
   * Replaces the intent of an act that has ended by its entry, or removes it if the act has changed nothing; if this fails,
   * the sweep records it.
   */
  const complete = (
    intent: AuditIntentDoc,
    outcome: 'done' | 'unknown',
    changed: Described | Promise<Described>,
  ): Promise<void> =>
    Promise.resolve(changed)
      .then((result) =>
        result
          ? append(intent, { hasIntent: true }, { ...result, outcome, count: 1 })
          : store.dropIntent(intent),
      )
      .catch((error: unknown) => log.warn({ err: error, action: intent.action }, 'audit entry is delayed'));

  const service = {
    /**
     * Performs an act and records it in the log of its tenant.
     *
     * @param describe returns what the act has changed, from its result; null if nothing
     * @param soFar returns what an act that fails has changed before, which is recorded as `unknown`; null if nothing. Only
     *   for acts that change something in steps
     * @throws whatever the act throws. An act that was refused, and so changed nothing, leaves no entry
     */
    async perform<T>(
      act: AuditAct,
      make: () => Promise<T>,
      describe: (result: T) => Promise<Described> | Described,
      soFar: () => Described = () => null,
    ): Promise<T> {
      const intent = newAct(act);
      await store.addIntent(intent);
      const renewal = setInterval(
        () => void store.renewIntent(intent, clock.now()).catch(() => {}),
        RENEW_INTERVAL_MS,
      ).unref();
      let result: T;
      try {
        result = await make();
      } catch (error) {
        const changed = soFar();
        if (changed) await complete(intent, 'unknown', changed);
        else if (changedNothing(error)) await store.dropIntent(intent).catch(() => {});
        throw error;
      } finally {
        clearInterval(renewal);
      }
      await complete(intent, 'done', Promise.resolve(result).then(describe));
      return result;
    },

    /**
     * Records which settings of the service have changed since its last start. Of processes that start at the same time
     * with the same settings, one records the change; the first start of a service records none. A log that was changed
     * does not prevent a start.
     *
     * @param actor account that runs the service
     */
    async recordSettings(settings: AuditState, actor: AuditActor): Promise<void> {
      const head = await headOf(SERVICE_LOG).catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
        log.error({ err: error }, 'changed settings cannot be recorded');
      });
      if (!head) return;
      const { settings: previous } = head;
      const current = JSON.stringify(settings);
      if (previous === current) return;
      if (previous === undefined) {
        await store.replaceSettings(previous, current);
        return;
      }
      const target = { type: 'settings', id: null };
      const act = { customerId: null, action: 'changeSettings', actor, clientAddress: null, requestId: null };
      const intent = newAct({ ...act, target });
      await store.addIntent(intent);
      if (await store.replaceSettings(previous, current))
        await complete(intent, 'done', { ...changesBetween(parseState(previous), settings), target });
      else await store.dropIntent(intent);
    },

    /** Counts a refused request; its entry follows within a minute. */
    countRefusal: refusals.add,
    /** Records the counted refusals. */
    flushRefusals: refusals.flush,

    /** Lists the entries of a log, newest first. @param customerId null for the log of the service */
    list: (
      customerId: number | null,
      { limit, after, ...filter }: PageRequest & AuditFilter,
    ): Promise<Page<AuditEntry>> =>
      readPage(
        { limit, after },
        {
          cursor: cursorCodec(['audit', customerId, filter.action, filter.actor], isInteger),
          read: (before, count) => store.list(logOf(customerId), { ...filter, before, limit: count }),
          positionOf: ({ sequence }) => sequence,
          toNode: toEntry,
        },
      ),

    /** Returns an entry; null if the log has none with this id. */
    async find(customerId: number | null, id: string): Promise<AuditEntry | null> {
      const found = isObjectIdText(id) ? await store.find(logOf(customerId), new Types.ObjectId(id)) : null;
      return found && toEntry(found);
    },

    /** Entries of a log by position, for exports. */
    async *all(customerId: number | null): AsyncGenerator<AuditEntry> {
      for await (const entry of store.all(logOf(customerId))) yield toEntry(entry);
    },

    verify: verification.verify,
    compareAnchors: verification.compareAnchors,
    lastVerification: verification.lastVerification,
  };

  return {
    service,
    retentionSteps: [auditRetention({ store, auditKeys: keys, perform: service.perform })],
    jobs: [
      { name: 'audit.sweep', every: SWEEP_INTERVAL_MS, run: sweep },
      { name: 'audit.verify', every: VERIFY_INTERVAL_MS, run: verification.verifyAll },
    ],
    hasSecretUnderUnknownKey: keys.hasSecretUnderUnknownKey,
    rotateSecrets: keys.rotateSecrets,
  };
}

export type AuditService = ReturnType<typeof auditService>['service'];
