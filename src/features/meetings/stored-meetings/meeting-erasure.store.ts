import { hash } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import { untypedCollection } from '../../../platform/mongo/raw-collection.ts';
import { scanWindow } from '../../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import {
  addCounts,
  countedAs,
  type ErasureContext,
  type ErasureCounts,
  type ErasureStep,
  NOTHING_FOUND,
  type PersonalData,
} from '../../privacy/erasure-step.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { anyOf, mentionsOf } from '../../privacy/mentions.ts';
import type { Person } from '../../privacy/person.ts';
import { type OwnedDocument, type PersonalFields, replacement } from '../../privacy/personal-fields.ts';
import {
  decryptedRows,
  linksIn,
  personalCollection,
  rewritePersonal,
  scanPersonal,
  scanPersonalDocuments,
  windowOf,
} from '../../privacy/personal-scan.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import type { ProviderRecordStore } from '../provider-records/provider-records.store.ts';
import { postingsErasure } from '../search/postings-erasure.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { decodeTranscript, encodeTranscript } from '../transcript-json.ts';
import { keyOf, toActivity } from './meeting-documents.ts';
import { attendedBy, isAttendedBy, withoutPersonIn } from './meeting-people.ts';
import { toMappable } from './meeting-views.ts';
import {
  ACTIVITY_FIELDS,
  type ActivityDoc,
  MEETING_FIELDS,
  type MeetingDoc,
  SCAN_BY_ID,
  TRANSCRIPT_FIELDS,
  type TranscriptDoc,
  termsOfMeeting,
} from './meetings.model.ts';
import {
  identifiersOfParticipants,
  isWithoutGuests,
  participantIs,
  withoutPerson,
} from './without-person.ts';
import { writeOrderOf } from './write-order.ts';

interface Deps {
  models: {
    Meeting: Model<MeetingDoc>;
    MeetingTranscript: Model<TranscriptDoc>;
    MeetingProviderRecord: Model<ProviderRecordDoc>;
    MeetingActivity: Model<ActivityDoc>;
  };
  mappings: Pick<MappingStore, 'find'>;
  providerRecords: ProviderRecordStore;
  index: SearchIndexStore;
  encryption: FieldEncryption;
  clock: Clock;
}

/** Documents per window. Transcripts and records are large. */
const WINDOW = { meetings: 500, transcripts: 100, records: 200, activities: 500 };

const COLLECTIONS = [
  'meetings',
  'meetingTranscripts',
  'meetingProviderRecords',
  'meetingActivities',
] as const;

type Found = Pick<MeetingDoc, '_id' | 'customerId' | 'title' | 'participantsJson' | 'summaryText'>;
type Participants = Pick<Found, '_id' | 'participantsJson'>;

/**
 * What meetings store about people. A meeting whose only guest is the person is removed; in others, the person's
 * participation, their segments and mentions are removed, together with the provider's record and the summary.
 */
export function meetingErasure({ models, mappings, providerRecords, index, encryption, clock }: Deps) {
  const { Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity } = models;
  const meetings = personalCollection(Meeting, MEETING_FIELDS, encryption);
  const transcripts = personalCollection(MeetingTranscript, TRANSCRIPT_FIELDS, encryption);
  const activities = personalCollection(MeetingActivity, ACTIVITY_FIELDS, encryption);
  const records = untypedCollection(MeetingProviderRecord);
  const postings = postingsErasure(index);

  const ofIds = ({ customerId }: TenantRef, ids: readonly string[]) => ({
    customerId,
    _id: { $in: [...ids] },
  });

  /** Removes meetings with everything that belongs to them. The meeting goes first: without it, nothing is read. */
  async function remove(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    await Meeting.deleteMany(ofIds(tenant, ids));
    await removeContents(tenant, ids);
  }

  /** Removes everything that belongs to meetings. */
  async function removeContents(tenant: TenantRef, ids: readonly string[]): Promise<void> {
    const of = ofIds(tenant, ids);
    await MeetingTranscript.deleteMany(of);
    await MeetingProviderRecord.deleteMany(of);
    await MeetingActivity.deleteMany(of);
  }

  async function contents(tenant: TenantRef, ids: readonly string[]): Promise<ErasureCounts> {
    const of = ofIds(tenant, ids);
    const [stored, texts, providers, activities] = await Promise.all([
      Meeting.countDocuments(of),
      MeetingTranscript.countDocuments(of),
      countRecords(tenant, ids),
      MeetingActivity.countDocuments(of),
    ]);
    return { meetings: stored, transcripts: texts, provider_records: providers, activities };
  }

  const withRecord = (tenant: TenantRef, ids: readonly string[]) => ({
    ...ofIds(tenant, ids),
    data: { $exists: true },
  });

  const countRecords = (tenant: TenantRef, ids: readonly string[]): Promise<number> =>
    MeetingProviderRecord.countDocuments(withRecord(tenant, ids));

  /** Returns the fields of a document as they are stored. */
  async function encryptedFields<D extends OwnedDocument>(
    personal: PersonalFields,
    document: D,
  ): Promise<Omit<D, '_id' | 'customerId'>> {
    const [{ _id, customerId, ...fields } = document] = await encryption.encrypt(personal, [document]);
    return fields;
  }

  /**
   * Removes the person from one meeting, or the meeting. Changes nothing if the meeting was stored again or indexed
   * meanwhile: the next pass finds it.
   */
  async function scrub(tenant: TenantRef, person: Person, meeting: MeetingDoc): Promise<void> {
    const { customerId } = tenant;
    const { _id, title, summaryText, participantsJson, writeOrder } = meeting;
    const key = { _id, customerId };
    const stored = await MeetingTranscript.find(key).lean<TranscriptDoc[]>();
    const [transcript = null] = await encryption.decryptReadable(TRANSCRIPT_FIELDS, stored);
    const content = await withoutPerson(
      {
        title,
        summary: summaryText,
        participants: participantsJson,
        segments: transcript && decodeTranscript(transcript.transcriptJson),
      },
      person,
    );
    // Before the meeting loses its place in the index: a number is indexed in the groups that it was written in.
    const isIndexed = meeting.indexedAs != null && meeting.indexedAs >= 0;
    if (isIndexed) await index.markErased(tenant, meeting.indexedAs as number);
    const asRead = { ...key, indexedAs: meeting.indexedAs ?? null };
    if (!content) {
      const { deletedCount } = await Meeting.deleteOne(asRead);
      if (deletedCount === 1) await removeContents(tenant, [_id]);
      return;
    }
    const order = writeOrderOf({ id: 'erasure', readAt: clock.now() });
    const written = writeOrder !== undefined && writeOrder > order ? writeOrder : order;
    const left = {
      title: content.title,
      summaryText: content.summary,
      participantsJson: content.participants,
    };
    const { matchedCount } = await Meeting.updateOne(
      { ...asRead, writeOrder: writeOrder ?? { $exists: false } },
      {
        $set: {
          ...(await encryptedFields(MEETING_FIELDS, {
            ...{ ...key, ...left, terms: termsOfMeeting(left) },
            contentHash: hash('sha256', JSON.stringify(content)),
          })),
          writeOrder: written,
          ...(isIndexed && { indexedAs: null }),
        },
        // The next sync compares with nothing, and stores the meeting without suppressed people.
        $unset: { recordHash: 1 },
      },
    );
    if (matchedCount === 0) return;
    if (content.segments) {
      const spoken = { ...key, transcriptJson: encodeTranscript(content.segments) };
      await MeetingTranscript.updateOne(key, {
        $set: { ...(await encryptedFields(TRANSCRIPT_FIELDS, spoken)), writeOrder: written },
      });
    }
    await MeetingProviderRecord.updateOne(key, {
      $set: { writeOrder: written },
      $unset: { keyId: 1, data: 1 },
    });
    const mapping = await mappings.find(tenant);
    const activity = toActivity(tenant, toMappable({ ...meeting, ...left }, undefined), mapping);
    await MeetingActivity.updateOne(
      key,
      replacement(ACTIVITY_FIELDS, {
        ...(await encryptedFields(ACTIVITY_FIELDS, activity)),
        writeOrder: written,
      }),
    );
  }

  async function eraseAll({ tenant, person }: ErasureContext, ids: readonly string[]): Promise<void> {
    const found = await Meeting.find(ofIds(tenant, ids)).select('_id').lean<Pick<MeetingDoc, '_id'>[]>();
    // A few at a time: with a thousand participants each, all of a window take half a gigabyte.
    const rows = Meeting.find(ofIds(tenant, ids)).lean<MeetingDoc>().cursor();
    for await (const meeting of decryptedRows(encryption, MEETING_FIELDS, rows))
      await scrub(tenant, person, meeting);
    // The transcript or record of a meeting that is not stored.
    const stored = new Set(found.map(({ _id }) => _id));
    const orphans = ids.filter((id) => !stored.has(id));
    if (orphans.length > 0) await remove(tenant, orphans);
    if (found.length === 0) return;
    // The indexer may have read them, and not yet given them an ordinal.
    await index.outdateBatches(tenant);
    await index.markPending(tenant);
  }

  /** Counts what an erasure removes from meetings, by their participants. */
  async function countAll({ tenant, person }: ErasureContext, found: Participants[]): Promise<ErasureCounts> {
    const isPerson = participantIs(person);
    const isAttended = ({ participantsJson }: Participants) => participantsJson.some(isPerson);
    const attended = found.filter(isAttended);
    const removed = attended.filter(({ participantsJson }) =>
      isWithoutGuests(participantsJson.filter((participant) => !isPerson(participant))),
    );
    const kept = found.filter((meeting) => !removed.includes(meeting));
    return addCounts(
      await contents(
        tenant,
        removed.map(({ _id }) => _id),
      ),
      {
        provider_records: await countRecords(
          tenant,
          kept.map(({ _id }) => _id),
        ),
        meeting_participations: attended.length - removed.length,
        redacted_texts: found.length - attended.length,
      },
    );
  }

  const own: ErasureStep = {
    name: 'meetings',
    collections: COLLECTIONS,
    idsOf: 'meetings',
    findsMentions: true,
    async find(context, after) {
      const { tenant, person } = context;
      const { filter, isIn } = mentionsOf(person);
      const match = anyOf([
        attendedBy(person),
        filter('title'),
        filter('summaryText'),
        filter('participantsJson.name'),
      ]);
      if (!match) return NOTHING_FOUND;
      // Exactly what `withoutPerson` removes or replaces: a pass that finds what stays would never be the last one.
      const isPerson = participantIs(person);
      const { found, next } = await scanPersonalDocuments<Found>(meetings, {
        tenant,
        after,
        size: WINDOW.meetings,
        match,
        matches: (meeting) =>
          meeting.participantsJson.some((participant) => isPerson(participant) || isIn(participant.name)) ||
          [meeting.title, meeting.summaryText].some((text) => text != null && isIn(text)),
      });
      return { ids: found.map(({ _id }) => _id), counts: await countAll(context, found), next };
    },
    erase: eraseAll,
  };

  const spoken: ErasureStep = {
    name: 'transcripts',
    collections: COLLECTIONS,
    idsOf: 'meetings',
    findsMentions: true,
    async find({ tenant, person }, after) {
      const match = mentionsOf(person, { isJson: true }).filter('transcriptJson');
      if (!match) return NOTHING_FOUND;
      // As `withoutPerson` replaces them.
      const { isIn } = mentionsOf(person);
      const { ids, next } = await scanPersonal<TranscriptDoc>(transcripts, {
        tenant,
        after,
        size: WINDOW.transcripts,
        match,
        matches: ({ transcriptJson }) =>
          decodeTranscript(transcriptJson).some(
            ({ speaker, text }) => isIn(text) || (speaker !== null && isIn(speaker)),
          ),
      });
      return {
        ids,
        counts: { redacted_texts: ids.length, provider_records: await countRecords(tenant, ids) },
        next,
      };
    },
    erase: eraseAll,
  };

  /** The records of the provider are encrypted: each is read and searched. */
  const received: ErasureStep = {
    name: 'providerRecords',
    collections: COLLECTIONS,
    idsOf: 'meetings',
    findsMentions: true,
    async find({ tenant, person }, after) {
      const { isIn } = mentionsOf(person, { isJson: true });
      const { found, next } = await scanWindow<Pick<ProviderRecordDoc, '_id'>>(records, {
        ...windowOf(SCAN_BY_ID, { tenant, after, size: WINDOW.records }),
        match: { data: { $exists: true } },
        projection: { _id: 1 },
      });
      const ids: string[] = [];
      const yieldToRequests = createTimeSlice();
      const stored = providerRecords.read(
        tenant,
        found.map(({ _id }) => _id),
      );
      for await (const { meetingKey, record } of stored) {
        await yieldToRequests();
        if (isIn(JSON.stringify(record))) ids.push(meetingKey);
      }
      return countedAs('provider_records', { ids, next });
    },
    erase: eraseAll,
  };

  /**
   * Activities with what the mapping has copied from the provider's record: retention can have removed the record, and an
   * id in it can be too short for a mention.
   */
  const mapped: ErasureStep = {
    name: 'activities',
    collections: COLLECTIONS,
    idsOf: 'meetingActivities',
    findsMentions: true,
    async find({ tenant, person }, after) {
      const redacted = withoutPersonIn(person);
      const { ids, next } = await scanPersonal<ActivityDoc>(activities, {
        tenant,
        after,
        size: WINDOW.activities,
        // All: the mapping names the properties.
        match: {},
        matches(activity) {
          const { personExternalId, properties } = redacted(activity);
          return personExternalId !== activity.personExternalId || properties !== activity.properties;
        },
      });
      return {
        ids,
        counts: { redacted_texts: ids.length, provider_records: await countRecords(tenant, ids) },
        next,
      };
    },
    async erase(context, ids) {
      const { tenant, person } = context;
      // Builds activities again while their record is stored, and removes the record.
      await eraseAll(context, await MeetingProviderRecord.distinct('_id', withRecord(tenant, ids)));
      const found = await MeetingActivity.find(ofIds(tenant, ids)).lean<ActivityDoc[]>();
      const redacted = withoutPersonIn(person);
      await rewritePersonal(
        activities,
        found,
        ({ field }, activity) => redacted(activity)[field as 'personExternalId' | 'properties'],
      );
    },
  };

  return {
    personalData: {
      async links(tenant, person, signal) {
        const identified = { ...person, names: [] };
        const match = attendedBy(identified);
        if (!match) return {};
        const isPerson = participantIs(identified);
        return linksIn<Found>(
          meetings,
          { tenant, size: WINDOW.meetings, match, matches: isAttendedBy(identified), signal },
          (found) =>
            identifiersOfParticipants(
              found.flatMap(({ participantsJson }) => participantsJson.filter(isPerson)),
            ),
        );
      },
      steps: [own, spoken, received, mapped, postings.step],
    } satisfies PersonalData,
    removeContents,

    /** Returns true if the meeting is stored. */
    exists: async (tenant: TenantRef, recorderMeetingId: string): Promise<boolean> =>
      (await Meeting.exists({ customerId: tenant.customerId, _id: keyOf(tenant, recorderMeetingId) })) !==
      null,

    /**
     * Removes one hidden meeting, after the indexer's batches with it have ended; returns what it consisted of, or null if
     * the tenant does not have it.
     */
    async removeOne(tenant: TenantRef, recorderMeetingId: string): Promise<ErasureCounts | null> {
      const id = keyOf(tenant, recorderMeetingId);
      const found = await Meeting.findOne({ customerId: tenant.customerId, _id: id }, { startedAt: 1 }).lean<
        Pick<MeetingDoc, 'startedAt'>
      >();
      if (!found) return null;
      const counts = await contents(tenant, [id]);
      // Before the meeting: a request that is repeated after a crash finds it, and removes the rest.
      await postings.removeReplaced(tenant, found.startedAt);
      await removeContents(tenant, [id]);
      await remove(tenant, [id]);
      return counts;
    },
  };
}
