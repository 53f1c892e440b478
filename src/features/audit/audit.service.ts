import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isInteger } from '../../platform/cursor.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import type { Logger } from '../../platform/logger.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { EventName } from '../outbox/event-catalog.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import type { RetentionStep } from '../privacy/retention-step.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import {
  type AuditEntryDoc,
  type AuditHeadDoc,
  type AuditIntentDoc,
  type AuditPosition,
  SERVICE_LOG,
} from './audit.model.ts';
import type { AuditFilter, AuditStore } from './audit.store.ts';
import type {
  AuditAct,
  AuditActor,
  AuditChange,
  AuditEntry,
  AuditFinding,
  AuditOutcome,
  AuditState,
  AuditTarget,
  AuditVerification,
} from './audit.types.ts';
import {
  baseOf,
  checkpointSignatureOf,
  FIRST_PREVIOUS,
  hashOf,
  intactCount,
  isBaseAuthentic,
  signatureOf,
  verifyChain,
} from './audit-chain.ts';
import { changesBetween } from './audited-states.ts';
import { createRefusals } from './refusals.ts';

/** Time without a sign of its process after which an act without an outcome is recorded as `unknown`. Milliseconds. */
const ABANDONED_AFTER_MS = 15 * 60 * 1000;
/** Interval at which a process reports that an act, such as an export, is in progress. Milliseconds. */
const RENEW_INTERVAL_MS = ABANDONED_AFTER_MS / 3;
/** Abandoned acts recorded in one run of the sweep. */
const SWEEP_LIMIT = 500;
const SWEEP_INTERVAL_MS = 60_000;
const VERIFY_INTERVAL_MS = 60 * 60 * 1000;
/** Keys of logs that a process keeps decrypted. */
const CACHED_KEYS = 1_000;
/** Entries that retention verifies and removes at a time. */
const RETENTION_BATCH = 1_000;
/** Job and action under which the removal of entries is recorded. */
const RETENTION = { actor: 'privacy.retain', action: 'removeExpiredAuditEntries' } as const;
const KEY_BYTES = 32;
/** Longest JSON of a state; a longer one is recorded as the names of its members. */
const MAX_STATE_CHARACTERS = 16_384;

export interface AuditDeps {
  store: AuditStore;
  outbox: Pick<Outbox, 'commit'>;
  cipher: Cipher;
  getTenant: (customerId: number) => Promise<Tenant>;
  /** Returns whether an endpoint of the tenant names the event type: an event without a receiver is not stored. */
  subscribes: (tenant: Pick<Tenant, 'customerId'>, event: EventName) => Promise<boolean>;
  /** Receives the number of deviations that the last verification found. */
  onVerified: (findings: number) => void;
  clock: Clock;
  log: Logger;
}

/** What an act has done, once it is done. */
export interface AuditResult extends AuditChange {
  target: AuditTarget;
}

/** Change of an act that changed nothing, or whose change is not known. */
const UNCHANGED = { before: null, after: null } as const;

const logOf = (customerId: number | null): number => customerId ?? SERVICE_LOG;
const keyOwner = (log: number): string => `audit:${log}`;

/** Returns the state as text; null for none. */
function stateText(state: AuditState | null): string | null {
  if (state === null) return null;
  const text = JSON.stringify(state);
  return text.length <= MAX_STATE_CHARACTERS ? text : JSON.stringify({ members: Object.keys(state) });
}

const parseState = (text: string | null): AuditState | null =>
  text === null ? null : (JSON.parse(text) as AuditState);

const toEntry = (stored: AuditEntryDoc): AuditEntry => {
  const { _id, log, previousHash: _previous, before, after, ...entry } = stored;
  return {
    ...entry,
    id: _id.toHexString(),
    customerId: log === SERVICE_LOG ? null : log,
    before: parseState(before),
    after: parseState(after),
  };
};

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
  const { store, outbox, cipher, getTenant, subscribes, onVerified, clock, log } = deps;
  const keys = new LRUCache<number, KeyObject>({ max: CACHED_KEYS });

  const decryptKey = ({ _id, key }: AuditHeadDoc): KeyObject =>
    createSecretKey(Buffer.from(cipher.decrypt(key, keyOwner(_id)), 'base64'));

  function keyOf(head: AuditHeadDoc): KeyObject {
    const known = keys.get(head._id) ?? decryptKey(head);
    keys.set(head._id, known);
    return known;
  }

  /** Returns the head of a log, which it creates with the first act. */
  async function headOf(id: number): Promise<AuditHeadDoc> {
    const existing = await store.head(id);
    if (existing) return existing;
    const bytes = randomBytes(KEY_BYTES);
    const head = { _id: id, sequence: 0, hash: FIRST_PREVIOUS };
    const key = cipher.encrypt(bytes.toString('base64'), keyOwner(id));
    await store.ensureHead({ ...head, key, signature: signatureOf(createSecretKey(bytes), head) });
    return headOf(id);
  }

  /** Returns the event about an entry, unless no endpoint names it. */
  async function eventsOf(entry: AuditEntryDoc): Promise<OutboxEvent[]> {
    const customerId = entry.log;
    if (customerId === SERVICE_LOG || !(await subscribes({ customerId }, 'audit.recorded'))) return [];
    const tenant = await getTenant(customerId);
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
    return [newEvent({ tenant, event: 'audit.recorded', data, now: clock.now() })];
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
    await outbox.commit(
      async () => {
        if (hasIntent && !(await store.intentExists(act)))
          return { writes: [], events: [], result: undefined };
        const head = await headOf(act.log);
        const entry = {
          ...act,
          target,
          outcome,
          count,
          before: stateText(before),
          after: stateText(after),
          previousHash: head.hash,
        };
        const key = keyOf(head);
        const hash = hashOf(key, entry);
        const stored = { ...entry, sequence: head.sequence + 1, hash };
        const signature = signatureOf(key, { _id: act.log, sequence: stored.sequence, hash });
        return {
          writes: [...store.append(stored, signature), ...(hasIntent ? [store.completion(act)] : [])],
          events: await eventsOf(stored),
          result: undefined,
        };
      },
      { tenant: null },
    );
  }

  const newAct = ({ customerId, ...act }: AuditAct): AuditIntentDoc => {
    const at = clock.now();
    return { _id: newObjectId(at), log: logOf(customerId), at, ...act };
  };

  /** Records acts that have begun, and whose outcome is not recorded. */
  async function sweep(): Promise<boolean> {
    const abandoned = new Date(clock.now().getTime() - ABANDONED_AFTER_MS);
    const intents = await store.intentsBefore(abandoned, SWEEP_LIMIT);
    for (const { renewedAt: _, ...intent } of intents)
      await append(
        intent,
        { hasIntent: true },
        { ...UNCHANGED, target: intent.target, outcome: 'unknown', count: 1 },
      );
    return intents.length === SWEEP_LIMIT;
  }

  /** Verifies one log. */
  async function verifyLog(head: AuditHeadDoc): Promise<AuditVerification> {
    const base = baseOf(head);
    const result = await verifyChain({
      key: keyOf(head),
      head,
      entries: store.all(head._id, base.sequence),
      find: (by) => store.withHash(head._id, by),
    });
    if (result.findings.length === 0) return result;
    // Retention may have removed entries since the head was read.
    const current = await store.head(head._id);
    return current && baseOf(current).sequence > base.sequence ? verifyLog(current) : result;
  }

  /** Verifies the log of a tenant or of the service, or all logs. @param customerId undefined for all logs */
  async function verify(customerId?: number | null): Promise<AuditVerification> {
    const findings: AuditFinding[] = [];
    let entries = 0;
    for await (const head of store.heads()) {
      if (customerId !== undefined && head._id !== logOf(customerId)) continue;
      const result = await verifyLog(head);
      entries += result.entries;
      findings.push(...result.findings);
    }
    return { entries, findings };
  }

  /** Verifies all logs, and writes their signed heads to the operator's log: an anchor outside of the database. */
  async function verifyAll(): Promise<void> {
    const { entries, findings } = await verify();
    onVerified(findings.length);
    await store.recordVerification({ at: clock.now(), findings: findings.length });
    for (const finding of findings.slice(0, 10)) log.error(finding, 'the audit log was changed');
    for await (const { _id, sequence, hash, signature } of store.heads())
      log.info({ customerId: _id === SERVICE_LOG ? null : _id, sequence, hash, signature }, 'audit log head');
    log.debug({ entries }, 'audit logs verified');
  }

  /**
   * Returns the next entries of a log that retention removes: those before `before`, up to the first that deviates from what
   * was written, which stays for `verify` to name. Records of earlier removals alone stay as well: their removal would
   * add another one, without end.
   */
  async function expired(head: AuditHeadDoc, before: Date, base: AuditPosition): Promise<AuditEntryDoc[]> {
    const key = keyOf(head);
    if (!isBaseAuthentic(key, head)) return [];
    const entries = await store.next(head._id, base.sequence, RETENTION_BATCH);
    const recent = entries.findIndex(({ at }) => at >= before);
    const old = recent === -1 ? entries : entries.slice(0, recent);
    const intact = old.slice(0, intactCount(key, base, old));
    const areRecords = intact.every(({ action }) => action === RETENTION.action);
    return areRecords && intact.length < RETENTION_BATCH ? [] : intact;
  }

  /** Retention of a tenant's log: removes its beginning behind a signed checkpoint, and records that in the log. */
  const retention: RetentionStep = {
    kind: 'auditLog',
    async find({ customerId }, before, after) {
      const head = await store.head(customerId);
      if (!head) return { ids: [], next: null };
      const base = (after as AuditPosition | null) ?? baseOf(head);
      const entries = await expired(head, before, base);
      return {
        ids: entries.map(({ sequence }) => String(sequence)),
        next: entries.length === RETENTION_BATCH ? (entries.at(-1) ?? null) : null,
      };
    },
    async remove({ customerId }, _ids, before) {
      const head = await store.head(customerId);
      const entries = head ? await expired(head, before, baseOf(head)) : [];
      const last = entries.at(-1);
      if (!head || !last) return 0;
      const { sequence, hash } = last;
      const signature = checkpointSignatureOf(keyOf(head), customerId, last);
      const target = { type: 'auditLog', id: null };
      await service.perform(
        {
          customerId,
          action: RETENTION.action,
          actor: { type: 'job', id: RETENTION.actor, name: null },
          clientAddress: null,
          requestId: null,
          target,
        },
        () => store.removeUpTo(customerId, { sequence, hash, signature }),
        () => ({ target, before: null, after: { upTo: sequence, hash } }),
      );
      return entries.length;
    },
  };

  const refusals = createRefusals((act, count) =>
    append(
      newAct(act),
      { hasIntent: false },
      { ...UNCHANGED, target: act.target, outcome: 'refused', count },
    ),
  );

  /** Replaces the intent of an act that is done by its entry; if this fails, the sweep records it. */
  const complete = (intent: AuditIntentDoc, done: AuditResult | Promise<AuditResult>): Promise<void> =>
    Promise.resolve(done)
      .then((result) => append(intent, { hasIntent: true }, { ...result, outcome: 'done', count: 1 }))
      .catch((error: unknown) => log.warn({ err: error, action: intent.action }, 'audit entry is delayed'));

  const service = {
    /**
     * Performs an act and records it in the log of its tenant.
     *
     * @param describe returns what the act has changed, from its result
     * @throws whatever the act throws. An act that was refused, and so changed nothing, leaves no entry
     */
    async perform<T>(
      act: AuditAct,
      make: () => Promise<T>,
      describe: (result: T) => Promise<AuditResult> | AuditResult,
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
        if (changedNothing(error)) await store.dropIntent(intent).catch(() => {});
        throw error;
      } finally {
        clearInterval(renewal);
      }
      await complete(intent, Promise.resolve(result).then(describe));
      return result;
    },

    /**
     * Records which settings of the service have changed since its last start. Of processes that start at the same time
     * with the same settings, one records the change; the first start of a service records none.
     *
     * @param actor account that runs the service
     */
    async recordSettings(settings: AuditState, actor: AuditActor): Promise<void> {
      const { settings: previous } = await headOf(SERVICE_LOG);
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
        await complete(intent, { ...changesBetween(parseState(previous), settings), target });
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

    verify,
    /** Returns the result of the last hourly verification by any process; null before the first one. */
    lastVerification: async (): Promise<{ at: Date; findings: number } | null> =>
      (await store.head(SERVICE_LOG))?.verification ?? null,
    /** Records acts without an outcome whose process has ended; a job calls it every minute. */
    sweep,
  };

  return {
    service,
    retention,
    jobs: [
      { name: 'audit.sweep', every: SWEEP_INTERVAL_MS, run: sweep },
      { name: 'audit.verify', every: VERIFY_INTERVAL_MS, run: verifyAll },
    ],
    /** Re-encrypts the keys of all logs that are under an older key. */
    rotateSecrets: () =>
      reencryptAll(store.heads(), ({ _id, key }) => cipher.reencrypt(key, keyOwner(_id)), store.replaceKey),
  };
}

export type AuditService = ReturnType<typeof auditService>['service'];
