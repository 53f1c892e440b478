import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import {
  bucketOf,
  GROUP_SIZE,
  groupOfOrdinal,
  IN_SUMMARY,
  IN_TITLE,
  IN_TRANSCRIPT,
  PREFIX_SHIFT,
  readPart,
  readTimes,
  type TermMatches,
} from './postings.ts';
import { TIMES_BUCKET } from './postings-documents.ts';
import type { SearchIndexStore } from './search-index.store.ts';
import { toIndexedWord } from './search-terms.ts';

/** Position in the results: best score first, then latest start. */
export interface Rank {
  score: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Breaks ties. */
  ordinal: number;
}

interface GroupMatches {
  terms: TermMatches[];
  /** Score of each meeting by its offset in the group; 0 unless the meeting matches all terms. */
  scores: Uint32Array;
}

export interface RankedMatches {
  /** Returns the best `limit` ranks after a position. */
  best(limit: number, after: Rank | null): Promise<Rank[]>;
  /** Returns the matching transcript segments, in order. */
  segments(ordinal: number): number[];
}

/**
 * Weights of a term's match. A field's weight exceeds the sum of 16 terms in the next lower field, at 2 points each. A
 * whole word scores twice as much as a prefix.
 */
const WEIGHTS = [
  [IN_TITLE, 4096],
  [IN_SUMMARY, 64],
  [IN_TRANSCRIPT, 1],
] as const;

const SCORES = Uint32Array.from({ length: 1 << (2 * PREFIX_SHIFT) }, (_, fields) =>
  WEIGHTS.reduce((score, [field, weight]) => {
    if (fields & field) return score + 2 * weight;
    return fields & (field << PREFIX_SHIFT) ? score + weight : score;
  }, 0),
);
const MAX_TERM_SCORE = Math.max(...SCORES);

/** Negative if `a` precedes `b` in the results. */
const compareRanks = (a: Rank, b: Rank): number =>
  b.score - a.score || b.startedAt - a.startedAt || b.ordinal - a.ordinal;

const newGroup = (): GroupMatches => ({
  terms: [],
  scores: new Uint32Array(GROUP_SIZE),
});

const newMatches = (): TermMatches => ({
  fields: new Uint8Array(GROUP_SIZE),
  segments: new Uint16Array(GROUP_SIZE),
});

/** Adds a term to a group. Returns false if no meeting of the group matches all terms so far. */
function addTerm({ terms, scores }: GroupMatches, matches: TermMatches): boolean {
  const isFirst = terms.length === 0;
  let hasCandidates = false;
  for (let offset = 0; offset < GROUP_SIZE; offset += 1) {
    const fields = matches.fields[offset] ?? 0;
    const before = scores[offset] ?? 0;
    const isCandidate = fields !== 0 && (isFirst || before !== 0);
    scores[offset] = isCandidate ? before + (SCORES[fields] ?? 0) : 0;
    hasCandidates ||= isCandidate;
  }
  terms.push(matches);
  return hasCandidates;
}

interface Search {
  /** Each matches as a word or as the prefix of a word; all must match. */
  terms: readonly string[];
  /** Leaves out meetings that started before. */
  since: Date | undefined;
}

/** Finds a tenant's meetings that match a search. */
export async function findMatches(
  index: Pick<SearchIndexStore, 'parts'>,
  tenant: TenantRef,
  { terms, since }: Search,
): Promise<RankedMatches> {
  let groups = new Map<number, GroupMatches>();
  for (const [position, term] of terms.entries()) {
    const word = toIndexedWord(term);
    const bytes = Buffer.from(word);
    const candidates = position === 0 ? null : [...groups.keys()];
    const found = new Map<number, TermMatches>();
    for await (const { group, parts } of index.parts(tenant, bucketOf(word), candidates)) {
      const matches = found.get(group) ?? newMatches();
      for (const part of parts) readPart(part, bytes, matches);
      found.set(group, matches);
    }
    const remaining = new Map<number, GroupMatches>();
    for (const [group, matches] of found) {
      const earlier = groups.get(group) ?? newGroup();
      if (addTerm(earlier, matches)) remaining.set(group, earlier);
    }
    groups = remaining;
    if (groups.size === 0) break;
  }
  const times = new Map<number, Float64Array>();

  async function loadTimes(needed: readonly number[]): Promise<void> {
    const missing = needed.filter((group) => !times.has(group));
    if (missing.length === 0) return;
    for await (const { group, parts } of index.parts(tenant, TIMES_BUCKET, missing)) {
      const starts = new Float64Array(GROUP_SIZE);
      for (const part of parts) readTimes(part, starts);
      times.set(group, starts);
    }
  }

  if (since) {
    await loadTimes([...groups.keys()]);
    for (const [group, { scores }] of groups)
      for (const [offset, startedAt] of (times.get(group) ?? []).entries())
        if (startedAt < since.getTime()) scores[offset] = 0;
  }

  const maxScore = terms.length * MAX_TERM_SCORE;
  /** Number of meetings by score. */
  const counts = new Uint32Array(maxScore + 1);
  for (const { scores } of groups.values())
    for (const score of scores) if (score !== 0) counts[score] = (counts[score] ?? 0) + 1;

  /** Returns the lowest score among the `limit` results after a position. */
  function leastScore(limit: number, after: Rank | null): number {
    // Results with the position's own score are not counted: all of them may precede the position.
    const most = after ? Math.min(after.score - 1, maxScore) : maxScore;
    let sum = 0;
    for (let score = most; score > 0; score -= 1) {
      sum += counts[score] ?? 0;
      if (sum >= limit) return score;
    }
    return 1;
  }

  return {
    async best(limit, after) {
      const least = leastScore(limit, after);
      const most = after?.score ?? maxScore;
      const isInRange = (score: number): boolean => score >= least && score <= most;
      const inRange = [...groups].filter(([, { scores }]) => scores.some(isInRange));
      await loadTimes(inRange.map(([group]) => group));
      const yieldToRequests = createTimeSlice();
      let best: Rank[] = [];
      for (const [group, { scores }] of inRange) {
        await yieldToRequests();
        const last = best.length === limit ? best.at(-1) : undefined;
        const better: Rank[] = [];
        for (let offset = 0; offset < GROUP_SIZE; offset += 1) {
          const score = scores[offset] ?? 0;
          if (!isInRange(score)) continue;
          const rank = {
            score,
            startedAt: times.get(group)?.[offset] ?? 0,
            ordinal: group * GROUP_SIZE + offset,
          };
          if (after && compareRanks(after, rank) >= 0) continue;
          if (!last || compareRanks(rank, last) < 0) better.push(rank);
        }
        if (better.length > 0) best = [...best, ...better].sort(compareRanks).slice(0, limit);
      }
      return best;
    },

    segments(ordinal) {
      const offset = ordinal % GROUP_SIZE;
      const matching = (groups.get(groupOfOrdinal(ordinal))?.terms ?? []).flatMap(({ fields, segments }) => {
        const found = fields[offset] ?? 0;
        return (found | (found >> PREFIX_SHIFT)) & IN_TRANSCRIPT ? [segments[offset] ?? 0] : [];
      });
      return [...new Set(matching)].toSorted((a, b) => a - b);
    },
  };
}
