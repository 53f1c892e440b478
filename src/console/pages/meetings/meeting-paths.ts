/** Path of the activities of one person. */
export const personActivitiesPath = (personExternalId: string): string =>
  `/meetings?${new URLSearchParams({ view: 'activities', person: personExternalId })}`;

/** Path of the meetings that the person with an email address took part in. */
export const participantMeetingsPath = (email: string): string =>
  `/meetings?${new URLSearchParams({ search: email })}`;

/** Path of a sync and its log. */
export const syncRunPath = (id: string): string => `/meetings/syncs/${encodeURIComponent(id)}`;

/** Path of a meeting. Encodes the ID twice, because the router decodes it once before the page does. */
export const meetingPath = (recorderMeetingId: string): string =>
  `/meetings/${encodeURIComponent(encodeURIComponent(recorderMeetingId))}`;
