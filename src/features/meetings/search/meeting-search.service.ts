import { cursorCodec } from '../../../platform/cursor.ts';
import { type Edge, type Page, type PageRequest, toPage } from '../../../platform/list-page.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Meeting } from '../meetings.types.ts';
import { toMeeting } from '../stored-meetings/meeting-views.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import { findMatches, type Rank } from './ranked-search.ts';
import type { SearchIndexStore } from './search-index.store.ts';
import { matchesOf, type SearchMatch } from './search-snippets.ts';
import { searchTerms } from './search-terms.ts';

export interface FoundMeeting {
  meeting: Meeting;
  /** Higher is better; comparable within one search only. */
  score: number;
  matches: SearchMatch[];
}

/** Highest reported number of meetings that are not indexed. */
export const MAX_BACKLOG = 10_000;
/** Bounds the memory for transcripts, which are read for snippets. */
const TRANSCRIPTS_AT_ONCE = 10;
/** Reads of ordinals per search: several are needed if matches belong to meetings that were replaced. */
const MAX_READS = 8;
/** Ordinals in the first read; each further read doubles them. */
const MIN_READ = 64;

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

interface SearchFilter {
  query: string;
  /** Only meetings that started at or after this time. */
  since?: Date | undefined;
}

/** Searches meetings and their transcripts, with ranking and snippets. */
export function meetingSearchService({ index, meetings }: Deps) {
  return {
    /** Returns the meetings that match all words of a search, best first, and among equals the latest start first. */
    async search(
      tenant: Tenant,
      { query, since }: SearchFilter,
      { limit, after }: PageRequest,
    ): Promise<Page<FoundMeeting>> {
      const cursor = cursorCodec(['meetingSearch', tenant.customerId, query, since], isRank);
      const start = after === null ? null : fromPosition(cursor.decode(after));
      const terms = searchTerms(query);
      if (terms.length === 0) return { edges: [], hasMore: false };
      const found = await findMatches(index, tenant, { terms, since });

      const ranks: Rank[] = [];
      let position = start;
      for (let reads = 0; reads < MAX_READS && ranks.length <= limit; reads += 1) {
        const count = Math.max(limit + 1, MIN_READ) * 2 ** reads;
        const best = await found.best(count, position);
        const visible = await index.visibleOrdinals(
          tenant,
          best.map(({ ordinal }) => ordinal),
        );
        ranks.push(...best.filter(({ ordinal }) => visible.has(ordinal)));
        position = best.at(-1) ?? position;
        if (best.length < count) break;
      }

      const ranked = toPage(ranks.slice(0, limit + 1), limit, (rank) => ({
        cursor: cursor.encode(toPosition(rank)),
        node: rank,
      }));
      const stored = await index.visible(
        tenant,
        ranked.edges.map(({ node }) => node.ordinal),
      );
      // Omits meetings that were replaced meanwhile.
      const rows = ranked.edges.flatMap(({ cursor: position, node: rank }) => {
        const meeting = stored.get(rank.ordinal);
        return meeting ? [{ position, rank, meeting }] : [];
      });
      const edges: Edge<FoundMeeting>[] = [];
      for (let from = 0; from < rows.length; from += TRANSCRIPTS_AT_ONCE) {
        const matching = await Promise.all(
          rows.slice(from, from + TRANSCRIPTS_AT_ONCE).map(async ({ position, rank, meeting }) => {
            const segments = found.segments(rank.ordinal);
            const transcript =
              segments.length > 0 ? await meetings.transcript(tenant, meeting.recorderMeetingId) : null;
            return { position, rank, meeting, transcript, segments };
          }),
        );
        // One at a time: snippets cost CPU time of this process.
        for (const { position, rank, meeting, ...spoken } of matching) {
          const matches = await matchesOf({ ...meeting, ...spoken }, terms);
          edges.push({ cursor: position, node: { meeting: toMeeting(meeting), score: rank.score, matches } });
        }
      }
      return { edges, hasMore: ranked.hasMore };
    },

    /** Counts the stored meetings that the search does not find yet, up to `MAX_BACKLOG`. */
    backlog: (tenant: Tenant): Promise<number> => index.countUnindexed(tenant, MAX_BACKLOG),
  };
}

export type MeetingSearchService = ReturnType<typeof meetingSearchService>;
