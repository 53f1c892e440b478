import { createHmac, type KeyObject } from 'node:crypto';
import type { AuditEntryDoc, AuditHeadDoc, AuditPosition } from './audit.model.ts';
import type { AuditFinding } from './audit.types.ts';
import { idText, isWellFormed } from './audit-documents.ts';

/**
 * The hash chain of a log. Each entry has an HMAC over its content and the hash of the entry before; the head has one over
 * position and hash of the last entry. Their key is encrypted under the service's key ring, so that a person who can only
 * write to the database cannot produce either.
 */

export const FIRST_PREVIOUS = '0'.repeat(64);

/** Findings of one log at which a verification stops. */
export const MAX_FINDINGS = 100;

const mac = (key: KeyObject, parts: readonly unknown[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');

/** Returns the hash of an entry. Its position is not part of it: the order follows from the hashes. */
export const hashOf = (key: KeyObject, entry: Omit<AuditEntryDoc, 'hash' | 'sequence'>): string => {
  const { _id, log, at, action, actor, clientAddress, requestId, target } = entry;
  const { outcome, count, before, after, previousHash } = entry;
  return mac(key, [
    previousHash,
    _id.toHexString(),
    log,
    at.toISOString(),
    action,
    // Without a prefix in entries of an earlier version, whose hashes stay as they are.
    [actor.type, actor.id ?? null, actor.name ?? null, ...(actor.prefix === undefined ? [] : [actor.prefix])],
    clientAddress ?? null,
    requestId ?? null,
    [target.type, target.id ?? null],
    outcome,
    count,
    before ?? null,
    after ?? null,
  ]);
};

/** Returns true if an entry is as it was written, whatever its content. */
export const isIntact = (key: KeyObject, entry: AuditEntryDoc): boolean =>
  isWellFormed(entry) && hashOf(key, entry) === entry.hash;

/** Returns the signature of a head. */
export const signatureOf = (
  key: KeyObject,
  { _id, sequence, hash }: Pick<AuditHeadDoc, '_id' | 'sequence' | 'hash'>,
): string => mac(key, ['head', _id, sequence, hash]);

/** Returns the signature of a checkpoint. */
export const checkpointSignatureOf = (
  key: KeyObject,
  log: AuditHeadDoc['_id'],
  { sequence, hash }: AuditPosition,
): string => mac(key, ['checkpoint', log, sequence, hash]);

/** Returns the signature of the result of a verification of all logs. @param key of the log of the service */
export const verificationSignatureOf = (
  key: KeyObject,
  { at, findings }: { at: Date; findings: number },
): string => mac(key, ['verification', at, findings]);

/** Returns false if the checkpoint of a log was not set by the service. */
export const isBaseAuthentic = (key: KeyObject, { _id, checkpoint }: AuditHeadDoc): boolean =>
  !checkpoint || checkpointSignatureOf(key, _id, checkpoint) === checkpoint.signature;

/** The beginning of a complete log. */
const START = { sequence: 0, hash: FIRST_PREVIOUS } as const;

/** Returns the entry, stored or removed, after which the stored entries of a log continue. */
export const baseOf = ({ checkpoint }: AuditHeadDoc): AuditPosition => checkpoint ?? START;

/** Returns how many of the entries after a position, without a gap, are chained to it as they were written. */
export function intactCount(key: KeyObject, base: AuditPosition, entries: readonly AuditEntryDoc[]): number {
  let { sequence, hash } = base;
  for (const [index, entry] of entries.entries()) {
    const isNext = entry.sequence === sequence + 1 && entry.previousHash === hash;
    if (!isNext || !isIntact(key, entry)) return index;
    ({ sequence, hash } = entry);
  }
  return entries.length;
}

interface Chain {
  key: KeyObject;
  head: AuditHeadDoc;
  /** Entries of the log by position, after its checkpoint. */
  entries: AsyncIterable<AuditEntryDoc>;
  /** Entries of the log without a position. */
  strays: readonly AuditEntryDoc[];
  /** Returns the entries with this `hash` or `previousHash`. */
  find(by: { hash: string } | { previousHash: string }): Promise<AuditEntryDoc[]>;
}

/** Compares a log with its hashes and its head. Reads it once, and looks up single entries only after a deviation. */
export async function verifyChain({
  key,
  head,
  entries,
  strays,
  find,
}: Chain): Promise<{ entries: number; findings: AuditFinding[] }> {
  const customerId = head._id === 0 ? null : head._id;
  const findings: AuditFinding[] = [];
  const report = (problem: AuditFinding['problem'], sequence: number | null, entryId: string | null = null) =>
    void findings.push({ customerId, problem, sequence, entryId });
  const isAuthentic = (entry: AuditEntryDoc): boolean => isIntact(key, entry);
  const exists = async (by: Parameters<Chain['find']>[0]) => (await find(by)).some(isAuthentic);
  /** Hashes of entries that were reported as reordered: their successors are where they belong. */
  const moved = new Set<string>();

  let count = strays.length;
  const base = baseOf(head);
  let hasHead = head.hash === base.hash;
  let position = base.sequence;
  /** Hash to which the next entry has to be chained; null after an altered entry, whose hash is not known. */
  let expected: string | null = base.hash;

  /** Reports the entries that are missing before a position; returns true if there are any. */
  function reportGap(end: number): boolean {
    for (let missing = position + 1; missing < end && findings.length < MAX_FINDINGS; missing += 1)
      report('removed', missing);
    return end > position + 1;
  }

  if (!isBaseAuthentic(key, head)) report('altered', base.sequence);

  for (const { _id } of strays) report('inserted', null, idText(_id));

  for await (const entry of entries) {
    count += 1;
    const { sequence, hash, previousHash } = entry;
    const id = idText(entry._id);
    if (!Number.isSafeInteger(sequence)) {
      report('inserted', null, id);
      continue;
    }
    if (isAuthentic(entry)) {
      hasHead ||= hash === head.hash;
      const isGap = reportGap(sequence);
      if (expected !== null && previousHash !== expected && !isGap && !moved.has(previousHash)) {
        if (previousHash === FIRST_PREVIOUS || (await exists({ hash: previousHash }))) {
          report('reordered', sequence, id);
          moved.add(hash);
        } else report('removed', sequence);
      }
      expected = hash;
    } else if (sequence > head.sequence || (expected && (await exists({ previousHash: expected })))) {
      // The log is complete without it.
      report('inserted', sequence, id);
    } else {
      reportGap(sequence);
      report('altered', sequence, id);
      expected = null;
    }
    position = sequence;
    if (findings.length >= MAX_FINDINGS) return { entries: count, findings };
  }

  reportGap(head.sequence + 1);
  const isForeign = !hasHead && findings.length === 0;
  if (isForeign || signatureOf(key, head) !== head.signature) report('altered', head.sequence);
  return { entries: count, findings };
}
