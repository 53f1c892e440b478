import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { Owner } from '../meetings.types.ts';
import { withWarning } from '../provider/field-warnings.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import {
  encodeRecord,
  MAX_RECORD_BYTES,
  MAX_RECORD_LEVELS,
  type StorableRecord,
} from '../provider-records/record-codec.ts';
import type { RecordKeys } from '../provider-records/record-keys.ts';
import type { ReportedDeletion } from './deletions.store.ts';
import { type MeetingRecords, toRecords } from './meeting-records.ts';
import type { MeetingStore } from './meetings.store.ts';
import type { SavedPage } from './saved-pages.store.ts';
import type { MeetingSource } from './write-order.ts';

interface Deps {
  mappings: Pick<MappingStore, 'find'>;
  meetings: Pick<MeetingStore, 'save' | 'markSavedDeleted'>;
  /** Returns the deletions of these meetings that were reported at or after a time. */
  findDeletions(owner: Owner, meetingIds: readonly string[], since: Date): Promise<ReportedDeletion[]>;
  recordKeys: Pick<RecordKeys, 'findOrCreate'>;
}

/** A meeting, and the provider's record; null if it cannot be kept. */
interface MeetingWithRecord {
  meeting: ProviderMeeting;
  record: StorableRecord | null;
}

interface WrittenMeetings extends SavedPage {
  /** The meetings, with a warning for each record that cannot be kept. */
  meetings: ProviderMeeting[];
}

/** Times that meetings are stored while the mapping keeps changing. */
const MAX_STORE_ATTEMPTS = 5;

const RECORD_TOO_LARGE = `expected at most ${MAX_RECORD_BYTES} bytes and ${MAX_RECORD_LEVELS} levels of JSON; JSON pointers of the mapping have no value`;

/** Creates the function that stores meetings of the provider, by the tenant's current mapping. */
export function createMeetingWriter({ mappings, meetings, findDeletions, recordKeys }: Deps) {
  /** Encodes the provider's records; one that is too large is left out, with a warning. */
  async function withRecords(owner: Owner, page: ProviderMeeting[]): Promise<MeetingWithRecord[]> {
    const key = await recordKeys.findOrCreate(owner);
    const result: MeetingWithRecord[] = [];
    const yieldToRequests = createTimeSlice();
    for (const meeting of page) {
      await yieldToRequests();
      const json = encodeRecord(meeting.record);
      result.push(
        json === null
          ? { meeting: withWarning(meeting, 'record', RECORD_TOO_LARGE), record: null }
          : { meeting, record: { key, json } },
      );
    }
    return result;
  }

  /**
   * Marks the stored meetings whose deletion was reported after they were requested: while one is not stored, the
   * deletion has no meeting to mark.
   */
  async function applyDeletions(owner: Owner, page: ProviderMeeting[], source: MeetingSource): Promise<void> {
    const ids = page.map(({ id }) => id);
    await meetings.markSavedDeleted(owner, source, await findDeletions(owner, ids, source.readAt));
  }

  /**
   * Stores the meetings, each id once. Stores them again if the mapping has changed meanwhile: the re-projection of the
   * activities may have ended before they were stored.
   */
  return async (owner: Owner, page: ProviderMeeting[], source: MeetingSource): Promise<WrittenMeetings> => {
    const [withRecord, initialMapping] = await Promise.all([withRecords(owner, page), mappings.find(owner)]);
    const yieldToRequests = createTimeSlice();
    let mapping = initialMapping;
    for (let attempt = 1; ; attempt += 1) {
      const records: MeetingRecords[] = [];
      for (const { meeting, record } of withRecord) {
        await yieldToRequests();
        records.push(toRecords(owner, meeting, { mapping, record }));
      }
      const saved = await meetings.save(owner, records, source);
      const [current] = await Promise.all([
        mappings.find(owner),
        saved.stored > 0 && applyDeletions(owner, page, source),
      ]);
      // A client that changes the mapping all the time does not stop the sync: the re-projection is checked later.
      if (current.version === mapping.version || attempt === MAX_STORE_ATTEMPTS)
        return { ...saved, meetings: withRecord.map(({ meeting }) => meeting) };
      mapping = current;
    }
  };
}

export type MeetingWriter = ReturnType<typeof createMeetingWriter>;
