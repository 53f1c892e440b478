import type { TenantLimitReached } from '../../../limits/tenant-limits.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { SyncObserver, SyncProgress } from '../meetings.types.ts';
import type { ProviderMeeting, ProviderPage, RejectedMeeting } from '../provider/provider.types.ts';
import { MAX_LISTED_WARNINGS } from '../provider/record-reader.ts';
import type { MeetingWriter } from '../stored-meetings/meeting-writer.ts';
import { isInRange } from './sync-range.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Meetings written at once, which bounds the memory for their documents. A usual page has as many. */
const MEETINGS_AT_ONCE = 50;
/** Rejected meetings per page that are logged individually. */
const MAX_LOGGED_REJECTIONS = 10;

interface Deps {
  writeMeetings: MeetingWriter;
  suppressions: Suppressions;
  observer: Pick<SyncObserver, 'onSyncPage'>;
  log: Logger;
}

function addWarnings(progress: SyncProgress, { id, warnings, warningCount }: ProviderMeeting): void {
  progress.warnings += warningCount;
  const details = warnings.map((warning) => ({ meeting: id, ...warning }));
  progress.warningDetails.push(...details.slice(0, MAX_LISTED_WARNINGS - progress.warningDetails.length));
}

interface PageOfRun {
  tenant: TenantRef;
  /** Its id is part of the page's id, so that a page that is stored again after a crash counts once. */
  run: Pick<SyncRunDoc, '_id' | 'scope' | 'since' | 'until'>;
  /** Updated once the page is stored. */
  progress: SyncProgress;
  page: ProviderPage;
  /** Time of the request for the page. */
  readAt: Date;
}

/**
 * Creates the function that stores a page of meetings, adds it to the progress of its run, and returns the rejected
 * meetings. It throws `TenantLimitReached` after that if the limit excluded new meetings.
 */
export function createPageWriter({ writeMeetings, suppressions, observer, log }: Deps) {
  /** Returns the rejected meetings without suppressed ones, whose ids are not logged. */
  const unsuppressed = (tenant: TenantRef, rejected: readonly RejectedMeeting[]) =>
    suppressions.whileStoring(tenant, async (_people, isSuppressedMeeting) =>
      rejected.filter(({ id }) => id === null || !isSuppressedMeeting(id)),
    );

  return async ({ tenant, run, progress, page, readAt }: PageOfRun): Promise<RejectedMeeting[]> => {
    const id = run._id.toHexString();
    const chosen = page.meetings.filter(({ createdAt }) => isInRange(run, createdAt));
    // If an id occurs twice, the later occurrence is newer.
    const distinct = new Map(chosen.map((meeting) => [meeting.id, meeting]));
    const meetings = [...distinct.values()];
    let [stored, unchanged, omitted, stripped] = [0, 0, 0, 0];
    const withheld = new Set<string>();
    const expired = new Set<string>();
    let refusal: TenantLimitReached | null = null;
    for (let from = 0; from < meetings.length; from += MEETINGS_AT_ONCE) {
      const written = await writeMeetings(tenant, meetings.slice(from, from + MEETINGS_AT_ONCE), {
        id: `${id}:${progress.pages + 1}`,
        readAt,
      });
      stored += written.stored;
      unchanged += written.unchanged;
      omitted += written.omitted;
      stripped += written.stripped;
      for (const meeting of written.withheld) withheld.add(meeting);
      for (const meeting of written.expired) expired.add(meeting);
      refusal ??= written.refusal;
    }
    const rejectedMeetings = page.rejected.length === 0 ? [] : await unsuppressed(tenant, page.rejected);
    const rejected = rejectedMeetings.length;
    const withheldRejected = page.rejected.length - rejected;
    if (withheldRejected > 0) suppressions.count('meetings', withheldRejected);
    const origin = { customerId: tenant.customerId, run: id };
    for (const { id: meeting, reason } of rejectedMeetings.slice(0, MAX_LOGGED_REJECTIONS))
      log.warn({ ...origin, meeting, reason }, 'meeting rejected');
    if (rejected > MAX_LOGGED_REJECTIONS)
      log.warn(
        { ...origin, rejected: rejected - MAX_LOGGED_REJECTIONS },
        'further meetings of the page rejected',
      );
    const fetched = page.meetings.length + page.rejected.length;
    const isLeftOut = ({ id: meeting }: ProviderMeeting) => withheld.has(meeting) || expired.has(meeting);
    const notStored = omitted + chosen.filter(isLeftOut).length;
    const updated = chosen.length - stored - notStored;
    progress.pages += 1;
    progress.fetched += fetched;
    progress.stored += stored;
    progress.updated += updated;
    progress.unchanged += unchanged;
    progress.rejected += rejected;
    progress.suppressed += stripped + withheld.size + withheldRejected;
    progress.skipped += page.meetings.length - chosen.length + notStored + withheldRejected;
    for (const meeting of meetings) if (!isLeftOut(meeting)) addWarnings(progress, meeting);
    observer.onSyncPage({ fetched, stored, updated, rejected });
    if (refusal) throw refusal;
    return rejectedMeetings;
  };
}

export type PageWriter = ReturnType<typeof createPageWriter>;
