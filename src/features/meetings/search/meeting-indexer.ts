import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { MeetingDoc } from '../stored-meetings/meetings.model.ts';
import { textsOfTranscript } from '../transcript-json.ts';
import {
  addToBatch,
  type Batch,
  encodeTimes,
  GROUP_SIZE,
  groupOfOrdinal,
  IN_SUMMARY,
  IN_TITLE,
  IN_TRANSCRIPT,
  type Occurrence,
  withOccurrence,
} from './postings.ts';
import type { SearchStateDoc } from './search-index.model.ts';
import { type IndexDelay, lostGroups, type SearchIndexStore } from './search-index.store.ts';
import { eachIndexedWord, MAX_WORDS } from './search-terms.ts';

/** Meetings per tenant and run, so that runs stay short and tenants take turns. */
const BATCH_SIZE = 64;
const TENANTS_PER_RUN = 8;
/** Limits a batch of long transcripts, which would otherwise outlast the lock of the job. */
const MAX_BATCH_CHARACTERS = 1_000_000;
/** With the pacing of the specification, the pauses between pages suffice to index each page before the next. */
const DELAY: IndexDelay = { quietMs: 500, maxWaitMs: 30_000 };
/** Compaction removes groups with fewer visible meetings, which are then indexed again. */
const MIN_GROUP_SIZE = GROUP_SIZE / 2;

type IndexedMeeting = Pick<MeetingDoc, 'title' | 'summaryText' | 'participantsJson'>;

interface MeetingWords {
  meeting: MeetingDoc;
  words: Map<string, Occurrence>;
}

/** Returns the words of a meeting with the fields that contain them. Yields, because texts can be long. */
export async function wordsOf(
  meeting: IndexedMeeting,
  texts: readonly string[],
): Promise<Map<string, Occurrence>> {
  const words = new Map<string, Occurrence>();
  const yieldToRequests = createTimeSlice();
  const addTo = (field: number, segment: number) => (word: string) => {
    words.set(word, withOccurrence(words.get(word), field, segment));
    return words.size;
  };
  const title = addTo(IN_TITLE, 0);
  if (meeting.title) eachIndexedWord(meeting.title, title);
  for (const { name, email } of meeting.participantsJson) {
    await yieldToRequests();
    eachIndexedWord(name, title);
    if (email) eachIndexedWord(email, title);
  }
  if (meeting.summaryText) eachIndexedWord(meeting.summaryText, addTo(IN_SUMMARY, 0));
  for (const [index, text] of texts.entries()) {
    if (words.size >= MAX_WORDS) break;
    await yieldToRequests();
    eachIndexedWord(text, addTo(IN_TRANSCRIPT, index));
  }
  return words;
}

/**
 * Indexes meetings in the background. A batch gets new ordinals, then its postings are appended, and finally the meetings
 * refer to their ordinals, which makes them visible. After a crash in between, the postings belong to no meeting, and the
 * meetings are indexed again. A removal in between may have removed the postings: the batch is then withdrawn, or, if its
 * process dies before, found by the next compaction.
 */
export function createMeetingIndexer({
  index,
  suppressions,
  delay = DELAY,
}: {
  index: SearchIndexStore;
  suppressions: Pick<Suppressions, 'whileCopying'>;
  delay?: IndexDelay;
}) {
  let hasMarkedUnknown = false;
  /**
   * Number of a tenant's meetings whose key is unknown, and which its next run skips: they must not hold up the meetings
   * after them. Absent for a run that begins with the first.
   */
  const passedOver = new Map<number, number>();

  /** Reads the first meetings, up to the size of a batch. */
  async function readBatch(tenant: TenantRef, meetings: MeetingDoc[]): Promise<MeetingWords[]> {
    const batch: MeetingWords[] = [];
    let characters = 0;
    for (const meeting of meetings) {
      // One at a time, because a transcript can have several megabytes.
      const json = await index.transcriptJson(tenant, meeting._id);
      batch.push({ meeting, words: await wordsOf(meeting, json === null ? [] : textsOfTranscript(json)) });
      characters += json?.length ?? 0;
      if (characters > MAX_BATCH_CHARACTERS) break;
    }
    return batch;
  }

  /** Indexes the first meetings of a list; returns the number of those that are visible now. */
  async function indexMeetings(state: SearchStateDoc, meetings: MeetingDoc[]): Promise<number> {
    const tenant = { customerId: state._id };
    const read = await readBatch(tenant, meetings);
    const first = await index.reserve(tenant, read.length);
    const indexed = read.map((words, position) => ({ ...words, ordinal: first + position }));
    for (const [group, members] of Map.groupBy(indexed, ({ ordinal }) => groupOfOrdinal(ordinal))) {
      const batch: Batch = new Map();
      const yieldToRequests = createTimeSlice();
      for (const { words, ordinal } of members) {
        addToBatch(batch, ordinal % GROUP_SIZE, words);
        await yieldToRequests();
      }
      const times = members.map(({ meeting: { startedAt }, ordinal }) => ({
        offset: ordinal % GROUP_SIZE,
        startedAt,
      }));
      await index.append(tenant, group, batch, encodeTimes(times));
    }
    return index.publish(
      state,
      indexed.map(({ meeting: { _id, contentHash }, ordinal }) => ({ _id, contentHash, ordinal })),
    );
  }

  /**
   * Removes groups in which most meetings have been replaced, or that have meetings and no postings, at most once per
   * `GROUP_SIZE` new ordinals. Spares recent groups, whose meetings another process may be about to publish.
   */
  async function compact(tenant: TenantRef, state: SearchStateDoc): Promise<boolean> {
    if (state.next - state.compactedAt < GROUP_SIZE) return false;
    const [groups, sizes] = await Promise.all([index.groups(tenant), index.groupSizes(tenant)]);
    const oldEnough = groupOfOrdinal(state.compactedAt);
    const sparse = groups.filter((group) => (sizes.get(group) ?? 0) < MIN_GROUP_SIZE);
    const removed = [...sparse, ...lostGroups(groups, sizes)].filter((group) => group < oldEnough);
    if (removed.length > 0) await index.removeGroups(tenant, removed);
    await index.compacted(state);
    return removed.length > 0;
  }

  /** Indexes a batch; returns false if the tenant has no further meetings, or none whose key is known in this window. */
  async function advance(state: SearchStateDoc): Promise<boolean> {
    const tenant = { customerId: state._id };
    const skip = passedOver.get(state._id) ?? 0;
    const { meetings, withoutKey, isLast, visible } = await suppressions.whileCopying([tenant], async () => {
      const found = await index.unindexed(tenant, { skip, limit: BATCH_SIZE });
      const visible = found.meetings.length === 0 ? 0 : await indexMeetings(state, found.meetings);
      return { ...found, visible };
    });
    if (isLast) passedOver.delete(state._id);
    else if (withoutKey > 0) passedOver.set(state._id, skip + withoutKey);
    // The others were replaced or converted meanwhile, or their batch was full.
    const isIncomplete = visible < meetings.length || (visible > 0 && !isLast);
    if (isIncomplete || (await compact(tenant, state))) return true;
    if (isLast && skip + withoutKey === 0) await index.settle(state);
    return false;
  }

  return {
    /** Indexes a batch for each of several tenants. Returns true if there is more to do. */
    async run(): Promise<boolean> {
      if (!hasMarkedUnknown) {
        await index.markUnknownTenants();
        hasMarkedUnknown = true;
      }
      const states = await index.pending(delay, TENANTS_PER_RUN);
      let isBusy = states.length === TENANTS_PER_RUN;
      for (const state of states) if (!state.isDue || (await advance(state))) isBusy = true;
      return isBusy;
    },
  };
}
