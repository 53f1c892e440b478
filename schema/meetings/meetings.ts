import type {
  MeetingActivity as ActivityShape,
  Meeting as MeetingShape,
  Participant as ParticipantShape,
  TranscriptSegment as SegmentShape,
} from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';
import { text } from '../text.ts';

/** What a transcript costs: it is read for each meeting on its own, and may have thousands of segments. */
const TRANSCRIPT_COST = { field: 50, multiplier: 50 };

const MeetingParticipant = builder.objectRef<ParticipantShape>('MeetingParticipant').implement({
  description: 'Somebody who was in a meeting.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, else the e-mail address; may be empty.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address; null: not known, and then nobody can be linked.',
    }),
    role: t.exposeString('role', {
      nullable: true,
      description: '`host`, `guest`, or whatever the provider says.',
    }),
  }),
});

const TranscriptSegment = builder.objectRef<SegmentShape>('TranscriptSegment').implement({
  description: 'Something that was said in a meeting.',
  fields: (t) => ({
    speaker: t.exposeString('speaker', { nullable: true, description: 'Who said it; null: not known.' }),
    text: t.exposeString('text', { description: 'What was said.' }),
    startTime: t.exposeFloat('startTime', {
      nullable: true,
      description: "When it began, in seconds from the meeting's start.",
    }),
    endTime: t.exposeFloat('endTime', {
      nullable: true,
      description: "When it ended, in seconds from the meeting's start.",
    }),
  }),
});

const Meeting = builder.objectRef<MeetingShape>('Meeting').implement({
  description: 'A meeting that was recorded, with all that the provider has told of it.',
  fields: (t) => ({
    recorderMeetingId: t.exposeString('recorderMeetingId', {
      description: "The provider's identifier of the meeting.",
    }),
    title: t.exposeString('title', { nullable: true, description: 'Its title.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it started; where the provider does not say so, when it was created there.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null: not known.',
    }),
    participantsJson: t.expose('participantsJson', {
      type: [MeetingParticipant],
      nullable: true,
      description: 'Who was in it; empty where the provider has no attendee data.',
    }),
    transcriptJson: t.field({
      type: [TranscriptSegment],
      nullable: true,
      description:
        'What was said, in its order; null until the provider has processed the recording. It is read for each meeting on its own: lists are quicker without.',
      complexity: TRANSCRIPT_COST,
      resolve: ({ recorderMeetingId }, _args, { tenant, services }) =>
        services.meetings.transcript(tenant(), recorderMeetingId),
    }),
    summaryText: t.exposeString('summaryText', {
      nullable: true,
      description: "The provider's AI-generated summary.",
    }),
    sentimentScore: t.exposeString('sentimentScore', {
      nullable: true,
      description: 'Always null, until a later phase.',
    }),
  }),
});

const MeetingActivity = builder.objectRef<ActivityShape>('MeetingActivity').implement({
  description: 'The lean record of a meeting, made by the field mapping. It counts for no score.',
  fields: (t) => ({
    externalId: t.exposeString('externalId', {
      description: "`recorder_` and the provider's identifier of the meeting.",
    }),
    type: t.exposeString('type', { description: 'Always `meeting_recorded`.' }),
    channel: t.exposeString('channel', { description: 'Always `video`.' }),
    occurredAt: t.expose('occurredAt', {
      type: 'DateTime',
      description: 'When it happened: when the meeting was created, unless mapped otherwise.',
    }),
    personExternalId: t.exposeString('personExternalId', {
      nullable: true,
      description:
        'The person: the e-mail address of the first participant who has one, in lower case, unless mapped otherwise; null: nobody.',
    }),
    properties: t.expose('properties', {
      type: 'JSON',
      description:
        '`source` (`recorder`), `recorderMeetingId`, `participantCount`, `durationSeconds` (null: not known), and what the mapping adds; texts are cut at 4,096 characters.',
    }),
  }),
});

const MeetingConnection = connectionType('Meeting', Meeting, { rows: 'meetings' });
const ActivityConnection = connectionType('MeetingActivity', MeetingActivity, { rows: 'meeting activities' });

builder.queryFields((t) => ({
  meetings: t.field({
    type: MeetingConnection,
    description: "The tenant's meetings, newest first.",
    authScopes: { read: true },
    args: {
      ...connectionArgs(),
      since: t.arg({ type: 'DateTime', description: 'Only those that started at or after.' }),
      search: t.arg.string({
        validate: { schema: text() },
        description:
          'Only those in whose title, summary or participants all of these words occur, whole words in any case and order; an e-mail address is looked for as a whole. No character has another meaning.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { since, search, ...page }, { tenant, services }) =>
      toConnection(
        services.meetings.list(
          tenant(),
          { since: since ?? undefined, search: search ?? undefined },
          connectionRequest(page),
        ),
        page,
      ),
  }),
  meeting: t.field({
    type: Meeting,
    nullable: true,
    description: 'One meeting; null when the tenant has none of that id.',
    authScopes: { read: true },
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
    description: "The tenant's meeting activities, newest first.",
    authScopes: { read: true },
    args: {
      ...connectionArgs(),
      personExternalId: t.arg.string({
        validate: { schema: text() },
        description: 'Only those of this person, spelled as in the activity.',
      }),
    },
    complexity: connectionCost,
    resolve: (_root, { personExternalId, ...page }, { tenant, services }) =>
      toConnection(
        services.meetings.activities(tenant(), personExternalId ?? undefined, connectionRequest(page)),
        page,
      ),
  }),
}));
