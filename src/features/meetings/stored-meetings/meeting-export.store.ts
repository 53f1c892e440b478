import type { Model } from 'mongoose';
import { type ScannedWindow, scanWindow } from '../../../platform/mongo/scan-window.ts';
import type { ExportScope, ExportSource, ExportWindow, PersonScope } from '../../privacy/export-source.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { encryptedFilters } from '../../privacy/personal-fields.ts';
import {
  decryptedRows,
  personalCollection,
  scanPersonalDocuments,
  windowOf,
} from '../../privacy/personal-scan.ts';
import type { Meeting } from '../meetings.types.ts';
import type { ProviderRecordStore } from '../provider-records/provider-records.store.ts';
import { decodeTranscript } from '../transcript-json.ts';
import { attendedBy, isAttendedBy, isLinkedTo } from './meeting-people.ts';
import { toActivityView, toMeeting } from './meeting-views.ts';
import {
  ACTIVITY_FIELDS,
  type ActivityDoc,
  MEETING_FIELDS,
  type MeetingDoc,
  SCAN_BY_ID,
  TRANSCRIPT_FIELDS,
  type TranscriptDoc,
} from './meetings.model.ts';

interface Deps {
  models: {
    Meeting: Model<MeetingDoc>;
    MeetingTranscript: Model<TranscriptDoc>;
    MeetingActivity: Model<ActivityDoc>;
  };
  providerRecords: ProviderRecordStore;
  encryption: FieldEncryption;
}

/** Meetings per window. */
const WINDOW = 200;
/** Activities that are in memory together; transcripts are read one at a time, with up to 2.2 million characters. */
const BATCH_SIZE = 20;

/** Fields of an exported meeting, beside the personal ones. */
const SHOWN = {
  recorderMeetingId: 1,
  startedAt: 1,
  endedAt: 1,
  sentimentScore: 1,
  storedAt: 1,
  deletedAt: 1,
  warnings: 1,
} as const satisfies Partial<Record<keyof Meeting, 1>>;

/** Sources of meetings: all of a tenant, or the ones that a person attended, and activities that name them. */
export function meetingExport({ models, providerRecords, encryption }: Deps): ExportSource[] {
  const { Meeting, MeetingTranscript, MeetingActivity } = models;
  const meetings = personalCollection(Meeting, MEETING_FIELDS, encryption);
  const activities = personalCollection(MeetingActivity, ACTIVITY_FIELDS, encryption);

  async function scan(
    { tenant, person }: ExportScope,
    after: unknown,
    projection: Record<string, 1>,
  ): Promise<ScannedWindow<MeetingDoc>> {
    const match = person ? attendedBy(person) : {};
    if (!match) return { found: [], next: null };
    const matches = person ? isAttendedBy(person) : () => true;
    return scanPersonalDocuments<MeetingDoc>(meetings, {
      ...{ tenant, after, size: WINDOW, match, matches, projection },
    });
  }

  type MeetingRef = Pick<MeetingDoc, '_id' | 'recorderMeetingId'>;

  /** Reads only the ids of all meetings of a tenant. */
  function scanRefs(scope: ExportScope, after: unknown): Promise<ScannedWindow<MeetingRef>> {
    const projection = { recorderMeetingId: 1 } as const;
    if (scope.person) return scan(scope, after, projection);
    const { tenant } = scope;
    return scanWindow(meetings.collection, {
      ...windowOf(SCAN_BY_ID, { tenant, after, size: WINDOW }),
      match: {},
      projection,
    });
  }

  type Read = (scope: ExportScope, found: MeetingRef[]) => AsyncIterable<object>;

  /** Source of what belongs to the meetings. */
  const ofMeetings = (kind: ExportSource['kind'], collection: string, read: Read): ExportSource => ({
    kind,
    collections: [collection],
    subject: 'both',
    async read(scope, after) {
      const { found, next } = await scanRefs(scope, after);
      return { rows: read(scope, found), next };
    },
  });

  const ofIds = ({ tenant: { customerId } }: ExportScope, found: readonly MeetingRef[]) => ({
    customerId,
    _id: { $in: found.map(({ _id }) => _id) },
  });

  const activitiesOfMeetings = ofMeetings('activities', 'meetingActivities', async function* (scope, found) {
    const stored = MeetingActivity.find(ofIds(scope, found))
      .sort({ _id: 1 })
      .lean<ActivityDoc>()
      .cursor({ batchSize: BATCH_SIZE });
    for await (const activity of decryptedRows(encryption, ACTIVITY_FIELDS, stored))
      yield toActivityView(activity);
  });

  /** Returns the ids of those meetings that the person attended. */
  async function attendedAmong(
    { tenant, person }: PersonScope,
    ids: readonly string[],
  ): Promise<Set<string>> {
    const match = attendedBy(person);
    const attended = new Set<string>();
    if (!match) return attended;
    const isAttended = isAttendedBy(person);
    const found = Meeting.find(
      {
        ...{ customerId: tenant.customerId, _id: { $in: [...ids] } },
        $or: [match, ...encryptedFilters(MEETING_FIELDS)],
      },
      { customerId: 1, participantsJson: 1 },
    )
      .lean<MeetingDoc>()
      .cursor({ batchSize: BATCH_SIZE });
    for await (const meeting of decryptedRows(encryption, MEETING_FIELDS, found))
      if (isAttended(meeting)) attended.add(meeting._id);
    return attended;
  }

  /** Reads the activities of meetings that the person attended, and those that the mapping links to the person. */
  async function readActivitiesOf(scope: PersonScope, after: unknown): Promise<ExportWindow> {
    const { found, next } = await scanPersonalDocuments<ActivityDoc>(activities, {
      ...{ tenant: scope.tenant, after, size: WINDOW, match: {}, matches: () => true, projection: null },
    });
    const attended = await attendedAmong(
      scope,
      found.map(({ _id }) => _id),
    );
    const isLinked = isLinkedTo(scope.person);
    const own = found.filter((activity) => attended.has(activity._id) || isLinked(activity));
    return { rows: own.map(toActivityView), next };
  }

  return [
    {
      kind: 'meetings',
      collections: ['meetings'],
      subject: 'both',
      columns: [
        ...['recorderMeetingId', 'title', 'startedAt', 'endedAt', 'participantsJson', 'summaryText'],
        ...['storedAt', 'deletedAt'],
      ],
      async read(scope, after) {
        const { found, next } = await scan(scope, after, SHOWN);
        return { rows: found.map(toMeeting), next };
      },
    },
    ofMeetings('transcripts', 'meetingTranscripts', async function* (scope, found) {
      const idOf = new Map(found.map(({ _id, recorderMeetingId }) => [_id, recorderMeetingId]));
      const stored = MeetingTranscript.find(ofIds(scope, found))
        .sort({ _id: 1 })
        .lean<TranscriptDoc>()
        .cursor({ batchSize: 1 });
      for await (const transcript of stored)
        for (const { _id, transcriptJson } of await encryption.decryptReadable(TRANSCRIPT_FIELDS, [
          transcript,
        ]))
          yield { recorderMeetingId: idOf.get(_id), segments: decodeTranscript(transcriptJson) };
    }),
    {
      ...activitiesOfMeetings,
      read: ({ tenant, person }, after) =>
        person
          ? readActivitiesOf({ tenant, person }, after)
          : activitiesOfMeetings.read({ tenant, person }, after),
    },
    ofMeetings('providerRecords', 'meetingProviderRecords', async function* ({ tenant }, found) {
      const idOf = new Map(found.map(({ _id, recorderMeetingId }) => [_id, recorderMeetingId]));
      for await (const { meetingKey, record } of providerRecords.read(tenant, [...idOf.keys()]))
        yield { recorderMeetingId: idOf.get(meetingKey), record };
    }),
  ];
}
