import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ErasureStep } from '../../privacy/erasure-step.ts';
import { isDistinctive } from '../../privacy/mentions.ts';
import {
  bucketOf,
  GROUP_SIZE,
  IN_SUMMARY,
  IN_TITLE,
  IN_TRANSCRIPT,
  readPart,
  readTimes,
} from './postings.ts';
import { TIMES_BUCKET } from './postings-documents.ts';
import { lostGroups, type SearchIndexStore } from './search-index.store.ts';
import { eachIndexedWord } from './search-terms.ts';

const ANY_FIELD = IN_TITLE | IN_SUMMARY | IN_TRANSCRIPT;

type Index = Pick<
  SearchIndexStore,
  'parts' | 'visibleOrdinals' | 'groups' | 'groupSizes' | 'erasedGroups' | 'removeGroups' | 'markPending'
>;

/** Removes words of people and of meetings from the search index, by groups, whose meetings are then indexed again. */
export function postingsErasure(index: Index) {
  /** Returns true if any of these meetings of a group is not visible any more. */
  async function hasHidden(tenant: TenantRef, group: number, offsets: readonly number[]): Promise<boolean> {
    if (offsets.length === 0) return false;
    const ordinals = offsets.map((offset) => group * GROUP_SIZE + offset);
    const visible = await index.visibleOrdinals(tenant, ordinals);
    return visible.size < ordinals.length;
  }

  async function remove(tenant: TenantRef, groups: readonly number[]): Promise<void> {
    await index.removeGroups(tenant, groups);
    await index.markPending(tenant);
  }

  /**
   * Groups of postings of meetings that an erasure has changed, groups with words of the person that belong to no stored
   * meeting any more, and groups that an indexer has completed while they were removed.
   */
  const step: ErasureStep = {
    name: 'searchPostings',
    collections: ['meetingPostings'],
    idsOf: 'meetingPostings',
    async find({ tenant, person: { emails, names, phones, visitorIds, personIds }, isDryRun, isKnown }) {
      const words = new Set<string>();
      // Shorter ids are not mentions in texts, and their words are in many meetings.
      const ids = [...visitorIds, ...personIds].filter(isDistinctive);
      for (const text of [...emails, ...names, ...phones, ...ids])
        eachIndexedWord(text, (word) => words.add(word).size);
      const marked = new Set(isDryRun ? [] : await index.erasedGroups(tenant));
      const groups = new Set<number>();
      for (const word of words) {
        const term = Buffer.from(word);
        for await (const { group, parts } of index.parts(tenant, bucketOf(word), null)) {
          if (marked.has(group) || groups.has(group)) continue;
          const matches = { fields: new Uint8Array(GROUP_SIZE), segments: new Uint16Array(GROUP_SIZE) };
          for (const part of parts) readPart(part, term, matches);
          const offsets = [...matches.fields.keys()].filter(
            (offset) => (matches.fields[offset] ?? 0) & ANY_FIELD,
          );
          if (await hasHidden(tenant, group, offsets)) groups.add(group);
        }
      }
      const [stored, used] = await Promise.all([index.groups(tenant), index.groupSizes(tenant)]);
      const lost = lostGroups(stored, used);
      return {
        ids: [...new Set([...marked, ...groups, ...lost])].map(String),
        // Another erasure may have marked a group: the receipt of an unknown person stays empty.
        counts: { search_postings: groups.size + (isKnown ? marked.size : 0) },
        next: null,
        isRepair: groups.size === 0 && lost.length === 0,
      };
    },
    erase: ({ tenant }, ids) => remove(tenant, ids.map(Number)),
  };

  return {
    step,

    /**
     * Removes the groups with words of a meeting that is hidden from searches: each content of it that was indexed has an
     * ordinal, under the start time of the meeting, that belongs to no meeting any more.
     */
    async removeReplaced(tenant: TenantRef, startedAt: Date): Promise<void> {
      const groups: number[] = [];
      for await (const { group, parts } of index.parts(tenant, TIMES_BUCKET, null)) {
        const times = new Float64Array(GROUP_SIZE).fill(Number.NaN);
        for (const part of parts) readTimes(part, times);
        const offsets = [...times.keys()].filter((offset) => times[offset] === startedAt.getTime());
        if (await hasHidden(tenant, group, offsets)) groups.push(group);
      }
      await remove(tenant, groups);
    },
  };
}
