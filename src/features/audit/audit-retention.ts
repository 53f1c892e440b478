import { RETENTION_JOB, type RetentionStep } from '../privacy/retention-step.ts';
import type { AuditEntryDoc, AuditHeadDoc, AuditPosition } from './audit.model.ts';
import type { AuditStore } from './audit.store.ts';
import type { AuditAct, AuditResult } from './audit.types.ts';
import { jobActor } from './audit-actor.ts';
import { baseOf, checkpointSignatureOf, intactCount, isBaseAuthentic } from './audit-chain.ts';
import type { AuditKeys } from './audit-keys.ts';

/** Entries that retention verifies and removes at a time. */
const RETENTION_BATCH = 1_000;
/** Action under which the removal of entries is recorded. */
export const RETENTION_ACTION = 'removeExpiredAuditEntries';

interface Deps {
  store: AuditStore;
  auditKeys: Pick<AuditKeys, 'keyOf'>;
  perform: (act: AuditAct, make: () => Promise<void>, describe: () => AuditResult) => Promise<void>;
}

/** Retention of a tenant's log: removes its beginning behind a signed checkpoint, and records that in the log. */
export function auditRetention({ store, auditKeys, perform }: Deps): RetentionStep {
  /**
   * Returns the next entries of a log that retention removes: those before `before`, up to the first that deviates from what
   * was written, which stays for `verify` to name. Records of earlier removals alone stay as well: their removal would
   * add another one, without end.
   */
  async function expired(head: AuditHeadDoc, before: Date, base: AuditPosition): Promise<AuditEntryDoc[]> {
    const key = auditKeys.keyOf(head);
    if (!isBaseAuthentic(key, head)) return [];
    const stored = await store.next(head._id, base.sequence, RETENTION_BATCH);
    // Entries after the head of a backup stay: the checkpoint must not pass the head.
    const entries = stored.filter(({ sequence }) => sequence <= head.sequence);
    const recent = entries.findIndex(({ at }) => at >= before);
    const old = recent === -1 ? entries : entries.slice(0, recent);
    const intact = old.slice(0, intactCount(key, base, old));
    const areRecords = intact.every(({ action }) => action === RETENTION_ACTION);
    return areRecords && intact.length < RETENTION_BATCH ? [] : intact;
  }

  return {
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
      const signature = checkpointSignatureOf(auditKeys.keyOf(head), customerId, last);
      const target = { type: 'auditLog', id: null };
      await perform(
        {
          customerId,
          action: RETENTION_ACTION,
          actor: jobActor(RETENTION_JOB),
          clientAddress: null,
          requestId: null,
          target,
        },
        () => store.removeUpTo(customerId, { sequence, hash, signature }),
        () => ({ target, before: null, after: { upTo: sequence, hash } }),
      );
      return entries.length;
    },
    /** Removes the entries before the checkpoint: a crash may have followed its write. */
    async removeRest({ customerId }) {
      const head = await store.head(customerId);
      if (head?.checkpoint && isBaseAuthentic(auditKeys.keyOf(head), head))
        await store.removeUpTo(customerId, head.checkpoint);
    },
  };
}
