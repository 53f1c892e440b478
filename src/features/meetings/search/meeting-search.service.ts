import { cursorCodec } from '../../../platform/cursor.ts';
import { type Edge, type Page, type PageRequest, toPage } from '../../../platform/list-page.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Meeting } from '../meetings.types.ts';
import { toMeeting } from '../records/meeting-views.ts';
import type { MeetingDoc } from '../records/meetings.model.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import { findMatches, type Rank } from './ranked-search.ts';
import type { SearchIndexStore } from './search-index.store.ts';
import { matchesOf, type SearchMatch } from './search-snippets.ts';
import { searchTerms } from './search-terms.ts';

/** A meeting that matches a search. */
export interface FoundMeeting {
  meeting: Meeting;
  /** Higher is better; comparable within one search only. */
  score: number;
  matches: SearchMatch[];
}

/** Bounds the count of meetings that are not indexed. */
export const MAX_BACKLOG = 10_000;
/** Bounds the memory for transcripts, which are read for the matching segments. */
const TRANSCRIPTS_AT_ONCE = 8;
/** Reads of meetings per search: a match may belong to a meeting that was replaced after it was indexed. */
const MAX_READS = 8;

const isRank = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,7},-?\d{1,16},\d{1,12}$/.test(value);
const toPosition = ({ score, startedAt, ordinal }: Rank): string => `${score},${startedAt},${ordinal}`;

function fromPosition(position: string): Rank {
  const [score = 0, startedAt = 0, ordinal = 0] = position.split(',').map(Number);
  return { score, startedAt, ordinal };
}

interface Deps {
  index: SearchIndexStore;
  meetings: Pick<MeetingStore, 'transcript'>;
}

/** The ranked search over meetings and their transcripts. */
export function meetingSearchService({ index, meetings }: Deps) {
  return {
    /** Returns the meetings that match all words of a search, the best first, then the latest start first. */
    async search(
      tenant: Tenant,
      { query }: { query: string },
      { limit, after }: PageRequest,
    ): Promise<Page<FoundMeeting>> {
      const cursor = cursorCodec(['meetingSearch', tenant.customerId, query], isRank);
      const start = after === null ? null : fromPosition(cursor.decode(after));
      const terms = searchTerms(query);
      if (terms.length === 0) return { edges: [], hasMore: false };
      const found = await findMatches(index, tenant, terms);

      const rows: { rank: Rank; meeting: MeetingDoc }[] = [];
      let position = start;
      for (let reads = 0; reads < MAX_READS && rows.length <= limit; reads += 1) {
        const count = (limit + 1) * 2 ** reads;
        const ranks = await found.best(count, position);
        const visible = await index.visible(
          tenant,
          ranks.map(({ ordinal }) => ordinal),
        );
        for (const rank of ranks) {
          const meeting = visible.get(rank.ordinal);
          if (meeting) rows.push({ rank, meeting });
        }
        position = ranks.at(-1) ?? position;
        if (ranks.length < count) break;
      }

      const page = toPage(rows.slice(0, limit + 1), limit, ({ rank, meeting }) => ({
        cursor: cursor.encode(toPosition(rank)),
        node: { rank, meeting },
      }));
      const toEdge = async ({ cursor: position, node: { rank, meeting } }: (typeof page.edges)[number]) => {
        const segments = found.segments(rank.ordinal);
        const transcript =
          segments.length > 0 ? await meetings.transcript(tenant, meeting.recorderMeetingId) : null;
        const matches = matchesOf({ ...meeting, transcript, segments }, terms);
        return { cursor: position, node: { meeting: toMeeting(meeting), score: rank.score, matches } };
      };
      const edges: Edge<FoundMeeting>[] = [];
      for (let from = 0; from < page.edges.length; from += TRANSCRIPTS_AT_ONCE)
        edges.push(...(await Promise.all(page.edges.slice(from, from + TRANSCRIPTS_AT_ONCE).map(toEdge))));
      return { edges, hasMore: page.hasMore };
    },

    /** Returns the number of stored meetings that the search does not find yet, up to `MAX_BACKLOG`. */
    backlog: (tenant: Tenant): Promise<number> => index.countUnindexed(tenant, MAX_BACKLOG),
  };
}

export type MeetingSearchService = ReturnType<typeof meetingSearchService>;
