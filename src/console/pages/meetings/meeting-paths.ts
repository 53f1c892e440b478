/** Path of the activities of one person. */
export const personActivitiesPath = (personExternalId: string): string =>
  `/meetings?${new URLSearchParams({ view: 'activities', person: personExternalId })}`;

/** Path of a participant's meetings. */
export const participantMeetingsPath = (email: string): string =>
  `/meetings?${new URLSearchParams({ search: email })}`;

/** Path of a sync and its log. */
export const syncRunPath = (id: string): string => `/meetings/syncs/${encodeURIComponent(id)}`;

/** Path of a meeting. Encodes the ID twice, because the router decodes it once before the page does. */
export const meetingPath = (recorderMeetingId: string): string =>
  `/meetings/${encodeURIComponent(encodeURIComponent(recorderMeetingId))}`;

/** URL fragment of a segment of a transcript, by its position from 0. */
export const segmentFragment = (index: number): string => `#segment-${index}`;

/** Returns the position of the segment that a URL fragment names; null if it names none. */
export function parseSegmentFragment(fragment: string): number | null {
  const [, index] = /^#segment-(\d{1,9})$/.exec(fragment) ?? [];
  return index === undefined ? null : Number(index);
}

/** Path of a meeting, opened at a segment of its transcript. */
export const segmentPath = (recorderMeetingId: string, index: number): string =>
  meetingPath(recorderMeetingId) + segmentFragment(index);
