import type { KeyObject } from 'node:crypto';
import type { AuditEntryDoc, AuditHeadDoc, AuditPosition } from './audit.model.ts';
import type { AuditStore } from './audit.store.ts';
import { baseOf, intactCount, isIntact } from './audit-chain.ts';
import { parseState } from './audit-documents.ts';
import { RETENTION_ACTION } from './audit-retention.ts';

/** Entries after a head that are read at a time. */
const BATCH = 1_000;

/** The last entry of a log. */
interface LogEnd extends AuditPosition {
  /** Last entry that retention removed after the head was written, as the log records it; null if there is none. */
  removedUpTo: AuditPosition | null;
}

/** Returns the last entry that a removal by retention has removed; null for an entry about something else. */
function removedUpTo({ action, outcome, after }: AuditEntryDoc): AuditPosition | null {
  if (action !== RETENTION_ACTION || outcome !== 'done') return null;
  const { upTo, hash } = parseState(after) ?? {};
  return typeof upTo === 'number' && typeof hash === 'string' ? { sequence: upTo, hash } : null;
}

/**
 * Returns the last entry of a log: the one that its head names or, if the head was restored from a backup, the last one of
 * the entries that are chained to the head as they were written.
 *
 * @throws Error if a later entry is intact and not chained to these: entries between were removed, and the next entry must
 *   not take the place of one of them
 */
export async function endOf(
  head: AuditHeadDoc,
  { key, store }: { key: KeyObject; store: Pick<AuditStore, 'majorityNext'> },
): Promise<LogEnd> {
  let { sequence, hash } = head;
  let removed: AuditPosition | null = null;
  for (;;) {
    const following = await store.majorityNext(head._id, sequence, BATCH);
    const count = intactCount(key, { sequence, hash }, following);
    for (const entry of following.slice(0, count)) {
      ({ sequence, hash } = entry);
      removed = removedUpTo(entry) ?? removed;
    }
    if (following.slice(count).some((entry) => isIntact(key, entry)))
      throw new Error(`The audit log ${head._id} has entries that are not chained to its head.`);
    if (count < BATCH) break;
  }
  const isLater = removed !== null && removed.sequence > baseOf(head).sequence;
  return { sequence, hash, removedUpTo: isLater ? removed : null };
}
