import type { Logger } from '../../../platform/logger.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { Owner, SyncProgress } from '../meetings.types.ts';
import { MAX_LISTED_WARNINGS, withWarning } from '../provider/field-warnings.ts';
import type { ProviderMeeting, ProviderPage } from '../provider/provider.types.ts';
import { type EncryptedRecord, encryptRecord, MAX_RECORD_BYTES } from '../provider-records/record-codec.ts';
import type { RecordKeys } from '../provider-records/record-keys.ts';
import { keyOf, toRecords } from '../records/meeting-records.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import type { SyncObserver } from './sync-observer.ts';
import { isInRange } from './sync-range.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

interface Deps {
  mappings: MappingStore;
  meetings: MeetingStore;
  recordKeys: Pick<RecordKeys, 'findOrCreate'>;
  observer: Pick<SyncObserver, 'onSyncPage'>;
  log: Logger;
}

/** A meeting, and the provider's record as stored; null if it cannot be kept. */
interface MeetingWithRecord {
  meeting: ProviderMeeting;
  record: EncryptedRecord | null;
}

const RECORD_TOO_LARGE = `expected at most ${MAX_RECORD_BYTES} bytes of JSON; JSON pointers of the mapping have no value`;

function addWarnings(progress: SyncProgress, { id, warnings, warningCount }: ProviderMeeting): void {
  progress.warnings += warningCount;
  const details = warnings.map((warning) => ({ meeting: id, ...warning }));
  progress.warningDetails.push(...details.slice(0, MAX_LISTED_WARNINGS - progress.warningDetails.length));
}

interface PageOfRun {
  owner: Owner;
  /** Its id marks the page: one that is stored again after a crash counts once. */
  run: Pick<SyncRunDoc, '_id' | 'scope' | 'since' | 'until'>;
  /** Progress of the run; the page's is added once it is stored. */
  progress: SyncProgress;
  page: ProviderPage;
}

/** Creates the function that stores a page of meetings, by the tenant's current mapping. */
export function createPageWriter({ mappings, meetings, recordKeys, observer, log }: Deps) {
  /** Encrypts the provider's records; one that is too large is left out, with a warning. */
  async function withRecords(owner: Owner, page: ProviderMeeting[]): Promise<MeetingWithRecord[]> {
    const key = await recordKeys.findOrCreate(owner);
    const result: MeetingWithRecord[] = [];
    for (const meeting of page) {
      const record = await encryptRecord(key, keyOf(owner, meeting.id), meeting.record);
      result.push({ meeting: record ? meeting : withWarning(meeting, 'record', RECORD_TOO_LARGE), record });
    }
    return result;
  }

  /**
   * Stores a page by the current mapping. Stores it again if the mapping has changed meanwhile: the re-projection of the
   * activities may have ended before they were stored.
   */
  async function store(owner: Owner, page: MeetingWithRecord[], pageId: string): Promise<number> {
    const mapping = await mappings.find(owner);
    const records = page.map(({ meeting, record }) => toRecords(owner, meeting, { mapping, record }));
    const stored = await meetings.save(owner, records, pageId);
    const { version } = await mappings.find(owner);
    return version === mapping.version ? stored : store(owner, page, pageId);
  }

  return async ({ owner, run, progress, page }: PageOfRun): Promise<void> => {
    const id = run._id.toHexString();
    const chosen = page.meetings.filter(({ createdAt }) => isInRange(run, createdAt));
    // Of two meetings with one id, the later one is the newer state.
    const distinct = new Map(chosen.map((meeting) => [meeting.id, meeting]));
    const meetingsOfPage = await withRecords(owner, [...distinct.values()]);
    const stored = await store(owner, meetingsOfPage, `${id}:${progress.pages + 1}`);
    for (const { id: meeting, reason } of page.rejected)
      log.warn({ customerId: owner.customerId, run: id, meeting, reason }, 'meeting rejected');
    const rejected = page.rejected.length;
    const fetched = page.meetings.length + rejected;
    const updated = chosen.length - stored;
    progress.pages += 1;
    progress.fetched += fetched;
    progress.stored += stored;
    progress.updated += updated;
    progress.rejected += rejected;
    progress.skipped += page.meetings.length - chosen.length;
    for (const { meeting } of meetingsOfPage) addWarnings(progress, meeting);
    observer.onSyncPage({ fetched, stored, updated, rejected });
  };
}

export type PageWriter = ReturnType<typeof createPageWriter>;
