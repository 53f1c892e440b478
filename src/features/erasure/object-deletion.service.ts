import { AppError } from '../../errors/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { addCounts, type ErasureCounts, type RemoveTraces } from '../privacy/erasure-step.ts';
import { type SuppressionService, stillWritten } from '../privacy/suppression.service.ts';
import { type ErasureCount, toCounts } from './erasure.types.ts';

/** Options of the deletion of a meeting. */
interface MeetingDeletionInput {
  /** The provider's id. */
  id: string;
  /** True to store nothing of the meeting from now on; by default. */
  suppress?: boolean | null;
}

/** What was deleted with an object. */
export interface Deletion {
  id: string;
  counts: ErasureCount[];
  /** Entry of the suppression list for a meeting; null for none. */
  suppressionId: string | null;
}

/** Removes one object with everything that belongs to it; returns null if the tenant does not have it. */
type RemoveOne = (tenant: TenantRef, id: string) => Promise<ErasureCounts | null>;

export interface ObjectDeletionDeps {
  suppressions: Pick<SuppressionService, 'addMeeting' | 'awaitWrites'>;
  conversations: { removeOne: RemoveOne };
  /** Remove what a conversation has left elsewhere. */
  conversationTraces: readonly RemoveTraces[];
  meetings: {
    exists(tenant: TenantRef, recorderMeetingId: string): Promise<boolean>;
    /** Keeps a meeting from searches and the indexer. */
    hide(tenant: TenantRef, recorderMeetingId: string): Promise<void>;
    removeOne: RemoveOne;
  };
  log: Pick<Logger, 'warn'>;
}

/** Deletes single conversations and meetings with everything that belongs to them, within the request. */
export function objectDeletionService({
  suppressions,
  conversations,
  conversationTraces,
  meetings,
  log,
}: ObjectDeletionDeps) {
  /** Waits until work that began earlier has stored its data. @throws AppError `SERVICE_UNAVAILABLE` after 20 seconds */
  async function awaitWrites(tenant: TenantRef, next: string): Promise<void> {
    if (await suppressions.awaitWrites(tenant)) return;
    log.warn({ customerId: tenant.customerId }, 'a deletion was not completed, because earlier writes go on');
    throw stillWritten(next);
  }

  return {
    /**
     * Deletes a conversation with its messages, records, events and deliveries, and the answers that name it. Requests that
     * were in progress have ended before the search for what they have left, except those with an `Idempotency-Key` that make
     * several changes.
     *
     * @throws AppError `NOT_FOUND`; `SERVICE_UNAVAILABLE` if such requests do not end within 20 seconds: the conversation is
     *   deleted, and a repetition removes the rest
     */
    async deleteConversation(tenant: TenantRef, id: string): Promise<Deletion> {
      const missing = () => new AppError('NOT_FOUND', 'The conversation does not exist.');
      if (!isObjectIdText(id)) throw missing();
      const removed = await conversations.removeOne(tenant, id);
      await awaitWrites(tenant, 'Repeat the request to delete the rest of the conversation.');
      // An import can have completed meanwhile what an interrupted one left.
      const restored = await conversations.removeOne(tenant, id);
      const counts = removed || restored ? addCounts(removed ?? {}, restored ?? {}) : null;
      const traces = addCounts(
        ...(await Promise.all(conversationTraces.map((remove) => remove(tenant, id)))),
      );
      // The rest of an earlier deletion that failed counts as well.
      if (!counts && !Object.values(traces).some((count) => count > 0)) throw missing();
      return { id, counts: toCounts(addCounts(counts ?? {}, traces)), suppressionId: null };
    },

    /**
     * Deletes a meeting with its transcript, record, activity and search postings. Unless it is only deleted, it is
     * suppressed before, so that no sync in progress stores it again.
     *
     * @throws AppError `NOT_FOUND`; as `SuppressionService.addMeeting` does; `SERVICE_UNAVAILABLE` if the indexer does not
     *   end within 20 seconds
     */
    async deleteMeeting(
      tenant: TenantRef,
      { id, suppress }: MeetingDeletionInput,
      createdBy: string | null,
    ): Promise<Deletion> {
      const missing = () => new AppError('NOT_FOUND', 'The meeting does not exist.');
      if (!(await meetings.exists(tenant, id))) throw missing();
      const suppressionId = (suppress ?? true) ? await suppressions.addMeeting(tenant, id, createdBy) : null;
      // The indexer passes over it from now on, and has no words of it left to store once its batch has ended.
      await meetings.hide(tenant, id);
      await awaitWrites(tenant, 'Repeat the request to delete the meeting.');
      const counts = await meetings.removeOne(tenant, id);
      // Removed by another request meanwhile: an entry that was added is the outcome of this one.
      if (!counts && suppressionId === null) throw missing();
      return { id, counts: toCounts(counts ?? {}), suppressionId };
    },
  };
}

export type ObjectDeletionService = ReturnType<typeof objectDeletionService>;
