import type {
  MeetingActivity as ActivityShape,
  Meeting as MeetingShape,
  Participant as ParticipantShape,
  TranscriptSegment as SegmentShape,
  MeetingWarning as WarningShape,
} from '../../src/features/meetings/meetings.types.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  SEARCH_COST,
  toConnection,
} from '../paging.ts';
import { FIELD_PATH, WARNING_REASON } from './warning-descriptions.ts';

/** Query cost of a transcript: read separately for each meeting, with up to thousands of segments. */
const TRANSCRIPT_COST = { field: 50, multiplier: 50 };

const MeetingParticipant = builder.objectRef<ParticipantShape>('MeetingParticipant').implement({
  description: 'Participant of a meeting.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Name, or the email address if the name is unknown.',
    }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Email address; null if unknown. Without one, no person is linked.',
    }),
    role: t.exposeString('role', {
      nullable: true,
      description: '`host`, `guest` or another value of the provider; null if unknown.',
    }),
  }),
});

const TranscriptSegment = builder.objectRef<SegmentShape>('TranscriptSegment').implement({
  description: 'Segment of a transcript.',
  fields: (t) => ({
    speaker: t.exposeString('speaker', { nullable: true, description: 'Speaker; null if unknown.' }),
    text: t.exposeString('text', { description: 'Spoken text.' }),
    startTime: t.exposeFloat('startTime', {
      nullable: true,
      description: "Start in seconds from the meeting's start; null if unknown.",
    }),
    endTime: t.exposeFloat('endTime', {
      nullable: true,
      description: "End in seconds from the meeting's start; null if unknown.",
    }),
  }),
});

const MeetingWarning = builder.objectRef<WarningShape>('MeetingWarning').implement({
  description: 'A malformed field of a meeting, which was stored as null or left out of its list.',
  fields: (t) => ({
    path: t.exposeString('path', { description: FIELD_PATH }),
    reason: t.exposeString('reason', { description: WARNING_REASON }),
  }),
});

export const Meeting = builder.objectRef<MeetingShape>('Meeting').implement({
  description: 'A recorded meeting.',
  fields: (t) => ({
    recorderMeetingId: t.exposeString('recorderMeetingId', {
      description: "The provider's identifier of the meeting.",
    }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Title; null if the provider sends none.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start time, or the creation time at the provider if the start is unknown. Never null.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End time; null if unknown.',
    }),
    participantsJson: t.expose('participantsJson', {
      type: [MeetingParticipant],
      nullable: true,
      description: 'Participants; empty if the provider has no attendee data. Never null.',
    }),
    transcriptJson: t.field({
      type: [TranscriptSegment],
      nullable: true,
      description:
        'Transcript in chronological order; null until the provider has processed the recording. It is read separately for each meeting, which slows lists down.',
      complexity: TRANSCRIPT_COST,
      resolve: ({ recorderMeetingId }, _args, { tenant, services }) =>
        services.meetings.transcript(tenant(), recorderMeetingId),
    }),
    summaryText: t.exposeString('summaryText', {
      nullable: true,
      description: "The provider's AI-generated summary; null if it sends none.",
    }),
    sentimentScore: t.exposeString('sentimentScore', {
      nullable: true,
      description: 'Always null; reserved for later use.',
    }),
    storedAt: t.expose('storedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which a sync or a webhook of the provider stored the meeting first; null if an earlier version of the service did.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the meeting was found deleted at the provider; null unless it was. A deleted meeting is not found by searches, has no activity in `meetingActivities`, and is restored once the provider lists it again.',
    }),
    warnings: t.expose('warnings', {
      type: [MeetingWarning],
      description: 'The first 100 malformed fields that the last sync of the meeting found.',
    }),
  }),
});

export const MeetingActivity = builder.objectRef<ActivityShape>('MeetingActivity').implement({
  description:
    'Activity record of a meeting, built by the field mapping. It does not count toward any score.',
  fields: (t) => ({
    externalId: t.exposeString('externalId', {
      description: "`recorder_` and the provider's identifier of the meeting.",
    }),
    type: t.exposeString('type', { description: 'Always `meeting_recorded`.' }),
    channel: t.exposeString('channel', { description: 'Always `video`.' }),
    occurredAt: t.expose('occurredAt', {
      type: 'DateTime',
      description: 'Time of the activity: the creation time of the meeting unless mapped otherwise.',
    }),
    personExternalId: t.exposeString('personExternalId', {
      nullable: true,
      description:
        'Person: the lower-case email address of the first participant who has one, unless mapped otherwise; null if there is none.',
    }),
    properties: t.expose('properties', {
      type: 'JSON',
      description:
        '`source` (`recorder`), `recorderMeetingId`, `participantCount`, `durationSeconds` (null if unknown), and the properties of the mapping; text is truncated to 4,096 characters.',
    }),
  }),
});

const MeetingConnection = connectionType('Meeting', Meeting, { rows: 'meetings' });
const ActivityConnection = connectionType('MeetingActivity', MeetingActivity, { rows: 'meeting activities' });

builder.queryFields((t) => ({
  meetings: t.field({
    type: MeetingConnection,
    description: 'Meetings, latest start first; without those that were deleted at the provider.',
    scope: 'read',
    resource: 'meetings',
    args: {
      ...connectionArgs(),
      since: t.arg({ type: 'DateTime', description: 'Only meetings that started at or after this time.' }),
      includeDeleted: t.arg.boolean({
        description: 'True to list meetings as well that were deleted at the provider; see `deletedAt`.',
      }),
      search: t.arg.string({
        validate: { schema: text() },
        description:
          'Only meetings whose title, summary or participants contain all of these words, in any case and order, or words that begin with them (three characters or more; the 100 most frequent words of each). An email address matches from its beginning. Beginnings match within seconds after a meeting is stored. There are no operators.',
      }),
    },
    // The expansion of words is a large read, of which a customer executes one at a time.
    complexity: ({ first, search }) => ({
      ...connectionCost({ first }),
      field: search == null ? 1 : SEARCH_COST,
    }),
    resolve: (_root, { since, search, includeDeleted, ...page }, { tenant, services }) =>
      toConnection(
        services.meetings.list(
          tenant(),
          {
            since: since ?? undefined,
            search: search ?? undefined,
            includeDeleted: includeDeleted ?? undefined,
          },
          connectionRequest(page),
        ),
        page,
      ),
  }),
  meeting: t.field({
    type: Meeting,
    nullable: true,
    description: 'A meeting; null if it does not exist.',
    scope: 'read',
    resource: 'meetings',
    args: {
      recorderMeetingId: t.arg.string({
        required: true,
        validate: { schema: text() },
        description: "The provider's identifier of the meeting.",
      }),
    },
    resolve: (_root, { recorderMeetingId }, { tenant, services }) =>
      services.meetings.find(tenant(), recorderMeetingId),
  }),
  meetingActivities: t.field({
    type: ActivityConnection,
    description: 'Meeting activities, latest first.',
    scope: 'read',
    resource: 'meetings',
    args: {
      ...connectionArgs(),
      personExternalId: t.arg.string({
        validate: { schema: text() },
        description: 'Only activities of this person; compared exactly.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { personExternalId, ...page }, { tenant, services }) =>
      toConnection(
        services.meetings.activities(
          tenant(),
          { personExternalId: personExternalId ?? undefined },
          connectionRequest(page),
        ),
        page,
      ),
  }),
}));
