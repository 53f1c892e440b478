import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { isUnavailable } from '../../platform/mongo/unavailable.ts';
import { type AuditHeadDoc, SERVICE_LOG } from './audit.model.ts';
import type { AuditStore } from './audit.store.ts';
import type { AnchorComparison, AuditAnchor, AuditFinding, AuditVerification } from './audit.types.ts';
import { baseOf, intactCount, MAX_FINDINGS, verificationSignatureOf, verifyChain } from './audit-chain.ts';
import { idText, readableHeadOf, verificationOf } from './audit-documents.ts';
import type { AuditKeys } from './audit-keys.ts';

export const VERIFY_INTERVAL_MS = 60 * 60 * 1000;

export interface VerificationDeps {
  store: AuditStore;
  auditKeys: Pick<AuditKeys, 'storedKeyOf'>;
  /** Returns the time before which retention removes the entries of a tenant; null if it keeps them. */
  expiryOf: (customerId: number) => Promise<Date | null>;
  clock: Clock;
  log: Logger;
}

const customerOf = (log: number): number | null => (log === SERVICE_LOG ? null : log);

const isLog = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= SERVICE_LOG;

/** The comparison of the audit logs with what was written to them. */
export function auditVerification({ store, auditKeys, expiryOf, clock, log }: VerificationDeps) {
  /** Returns the finding that a log cannot be compared with its hashes. */
  const unverified = (
    id: number,
    problem: 'head_removed' | 'key_unreadable' | 'not_verified',
  ): AuditVerification => ({
    entries: 0,
    findings: [{ customerId: customerOf(id), problem, sequence: null, entryId: null }],
  });

  /** Returns true if an entry follows that is chained to the head as it was written: the head is from a backup. */
  async function isBehind(head: AuditHeadDoc, key: KeyObject): Promise<boolean> {
    const next = await store.majorityNext(head._id, head.sequence, 1);
    if (intactCount(key, head, next) === 0) return false;
    // The entry can have been appended since the head was read, in one commit with a change of the head.
    return (await store.head(head._id))?.sequence === head.sequence;
  }

  async function compare(stored: AuditHeadDoc): Promise<AuditVerification> {
    const head = readableHeadOf(stored);
    let key: ReturnType<typeof auditKeys.storedKeyOf>;
    try {
      key = auditKeys.storedKeyOf(stored);
    } catch {
      return unverified(head._id, 'key_unreadable');
    }
    const base = baseOf(head);
    const behind: AuditFinding[] = (await isBehind(head, key))
      ? [{ customerId: customerOf(head._id), problem: 'head_behind', sequence: head.sequence, entryId: null }]
      : [];
    const { entries, findings } = await verifyChain({
      key,
      head,
      entries: store.all(head._id, base.sequence),
      strays: await store.withoutPosition(head._id, MAX_FINDINGS),
      find: (by) => store.withHash(head._id, by),
    });
    const result = { entries, findings: [...behind, ...findings].slice(0, MAX_FINDINGS) };
    if (result.findings.length === 0) return result;
    // Retention may have removed entries since the head was read.
    const current = await store.head(head._id);
    return current && baseOf(readableHeadOf(current)).sequence > base.sequence ? compare(current) : result;
  }

  /** Verifies one log. Its failure is a finding of this log alone, unless the database is not available. */
  async function verifyLog(head: AuditHeadDoc): Promise<AuditVerification> {
    try {
      return await compare(head);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, customerId: customerOf(head._id) }, 'verification of an audit log failed');
      return unverified(head._id, 'not_verified');
    }
  }

  /** Returns the findings about entries whose log has no head. @param id value of `log`, of any type */
  async function verifyHeadless(id: unknown): Promise<AuditVerification> {
    if (isLog(id)) {
      // An operator can have removed the log as a whole since its entries were read.
      const isRemoved = (await store.head(id)) !== null || !(await store.hasEntries(id));
      return isRemoved ? { entries: 0, findings: [] } : unverified(id, 'head_removed');
    }
    const ids = await store.idsOf(id, MAX_FINDINGS);
    const findings = ids.map(
      (entryId): AuditFinding => ({
        customerId: null,
        problem: 'inserted',
        sequence: null,
        entryId: idText(entryId),
      }),
    );
    return { entries: ids.length, findings };
  }

  /** As `verify`, log by log. */
  async function* verifications(customerId?: number | null): AsyncGenerator<AuditVerification> {
    if (customerId !== undefined) {
      const id = customerId ?? SERVICE_LOG;
      const head = await store.majorityHead(id);
      yield await (head ? verifyLog(head) : verifyHeadless(id));
      return;
    }
    // A head exists before the first entry of its log.
    const headless = new Set<unknown>(await store.logs());
    for await (const head of store.heads()) {
      headless.delete(head._id);
      yield await verifyLog(head);
    }
    for (const id of headless) yield await verifyHeadless(id);
  }

  /** Records a verification of all logs. @throws Error if the log of the service has no head or no readable key */
  async function record(result: { at: Date; findings: number }): Promise<void> {
    const head = await store.head(SERVICE_LOG);
    if (!head) throw new Error('The audit log of the service has no head.');
    const signature = verificationSignatureOf(auditKeys.storedKeyOf(head), result);
    await store.recordVerification({ ...result, signature });
  }

  /**
   * Verifies the log of a tenant or of the service, or all logs, which it records.
   * @param customerId undefined for all logs
   */
  async function verify(customerId?: number | null): Promise<AuditVerification> {
    const total: AuditVerification = { entries: 0, findings: [] };
    for await (const { entries, findings } of verifications(customerId)) {
      total.entries += entries;
      total.findings.push(...findings);
    }
    if (customerId === undefined)
      await record({ at: clock.now(), findings: total.findings.length }).catch((error: unknown) =>
        log.warn({ err: error }, 'verification of the audit logs is not recorded'),
      );
    return total;
  }

  return {
    verify,

    /**
     * Compares the logs with anchors that were kept outside of the database. An anchor differs if its entry is missing or
     * has another hash, unless retention can have removed the entry: the checkpoint alone does not prove that, since it can
     * be forged with the encryption key.
     */
    async compareAnchors(anchors: Iterable<AuditAnchor>): Promise<AnchorComparison> {
      const expiries = new Map<number, Date | null>();
      const findings: AuditFinding[] = [];
      let removed = 0;
      for (const { customerId, sequence, hash, writtenAfter } of anchors) {
        const id = customerId ?? SERVICE_LOG;
        const entry = await store.at(id, sequence);
        if (entry?.hash === hash) continue;
        const head = entry ? null : await store.head(id);
        const base = head && baseOf(readableHeadOf(head));
        if (base && (sequence < base.sequence || (sequence === base.sequence && hash === base.hash))) {
          if (!expiries.has(id)) expiries.set(id, customerId === null ? null : await expiryOf(customerId));
          const expiry = expiries.get(id);
          if (expiry && !(writtenAfter && writtenAfter >= expiry)) {
            removed += 1;
            continue;
          }
        }
        findings.push({
          customerId,
          problem: 'anchor_differs',
          sequence,
          entryId: entry && idText(entry._id),
        });
        if (findings.length === MAX_FINDINGS) break;
      }
      return { findings, removed };
    },

    /** Verifies all logs, and writes their signed heads to the operator's log: an anchor outside of the database. */
    async verifyAll(): Promise<void> {
      const { entries, findings } = await verify();
      for (const finding of findings.slice(0, 10)) log.error(finding, 'the audit log was changed');
      for await (const { _id, sequence, hash, signature } of store.heads())
        log.info({ customerId: customerOf(_id), sequence, hash, signature }, 'audit log head');
      log.debug({ entries }, 'audit logs verified');
    },

    /**
     * Returns the result of the last verification of all logs by any process; null before the first one, and if the stored
     * one is not from the service. Without a head or a readable key of the service's log, which has it, that log is a
     * finding, and the time is null.
     */
    async lastVerification(): Promise<{ at: Date | null; findings: number } | null> {
      const head = await store.head(SERVICE_LOG);
      if (!head) return (await store.hasEntries(SERVICE_LOG)) ? { at: null, findings: 1 } : null;
      const last = verificationOf(head);
      if (!last) return null;
      try {
        return verificationSignatureOf(auditKeys.storedKeyOf(head), last) === last.signature ? last : null;
      } catch {
        return { at: null, findings: 1 };
      }
    },
  };
}
