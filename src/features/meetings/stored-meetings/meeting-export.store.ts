import type { Model, mongo } from 'mongoose';
import { rawCollection } from '../../../platform/mongo/raw-collection.ts';
import type { ExportScope, ExportSource } from '../../privacy/export-source.ts';
import type { ProviderRecordStore } from '../provider-records/provider-records.store.ts';
import { decodeTranscript } from '../transcript-json.ts';
import { attendedBy, meetingScan } from './meeting-erasure.store.ts';
import { toActivityView, toMeeting } from './meeting-views.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';

interface Deps {
  models: {
    Meeting: Model<MeetingDoc>;
    MeetingTranscript: Model<TranscriptDoc>;
    MeetingActivity: Model<ActivityDoc>;
  };
  providerRecords: ProviderRecordStore;
}

/** Meetings per window. */
const WINDOW = 200;
/** Activities that are in memory together; transcripts are read one at a time, with up to 2.2 million characters. */
const BATCH_SIZE = 20;

/** Sources of meetings: all of a tenant, or the ones that a person attended. */
export function meetingExport({ models, providerRecords }: Deps): ExportSource[] {
  const { Meeting, MeetingTranscript, MeetingActivity } = models;
  const meetings = rawCollection(Meeting) as unknown as mongo.Collection;

  async function scan<D>({ tenant, person }: ExportScope, after: unknown, projection: mongo.Document) {
    const match = person ? attendedBy(person) : {};
    if (!match) return { found: [], next: null };
    return meetingScan<D>(meetings, tenant, { after, size: WINDOW, match, projection });
  }

  type MeetingRef = Pick<MeetingDoc, '_id' | 'recorderMeetingId'>;
  type Read = (scope: ExportScope, found: MeetingRef[]) => AsyncIterable<object>;

  /** Source of what belongs to the meetings. */
  const ofMeetings = (kind: ExportSource['kind'], collection: string, read: Read): ExportSource => ({
    kind,
    collections: [collection],
    subject: 'both',
    async read(scope, after) {
      const { found, next } = await scan<MeetingRef>(scope, after, { recorderMeetingId: 1 });
      return { rows: read(scope, found), next };
    },
  });

  const ofIds = ({ tenant: { customerId } }: ExportScope, found: readonly MeetingRef[]) => ({
    customerId,
    _id: { $in: found.map(({ _id }) => _id) },
  });

  return [
    {
      kind: 'meetings',
      collections: ['meetings'],
      subject: 'both',
      columns: [
        ...['recorderMeetingId', 'title', 'startedAt', 'endedAt', 'participantsJson', 'summaryText'],
        'deletedAt',
      ],
      async read(scope, after) {
        const { found, next } = await scan<MeetingDoc>(scope, after, { terms: 0 });
        return { rows: found.map(toMeeting), next };
      },
    },
    ofMeetings('transcripts', 'meetingTranscripts', async function* (scope, found) {
      const idOf = new Map(found.map(({ _id, recorderMeetingId }) => [_id, recorderMeetingId]));
      const stored = MeetingTranscript.find(ofIds(scope, found))
        .sort({ _id: 1 })
        .lean<TranscriptDoc>()
        .cursor({ batchSize: 1 });
      for await (const { _id, transcriptJson } of stored)
        yield { recorderMeetingId: idOf.get(_id), segments: decodeTranscript(transcriptJson) };
    }),
    ofMeetings('activities', 'meetingActivities', async function* (scope, found) {
      const stored = MeetingActivity.find(ofIds(scope, found))
        .sort({ _id: 1 })
        .lean<ActivityDoc>()
        .cursor({ batchSize: BATCH_SIZE });
      for await (const activity of stored) yield toActivityView(activity);
    }),
    ofMeetings('providerRecords', 'meetingProviderRecords', async function* ({ tenant }, found) {
      const idOf = new Map(found.map(({ _id, recorderMeetingId }) => [_id, recorderMeetingId]));
      for await (const { meetingKey, record } of providerRecords.read(tenant, [...idOf.keys()]))
        yield { recorderMeetingId: idOf.get(meetingKey), record };
    }),
  ];
}
