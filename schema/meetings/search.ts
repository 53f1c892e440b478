import type { FoundMeeting } from '../../src/features/meetings/search/meeting-search.service.ts';
import { MAX_BACKLOG } from '../../src/features/meetings/search/meeting-search.service.ts';
import {
  MAX_MATCHES_PER_FIELD,
  type SearchMatch as MatchShape,
  type SEARCH_FIELDS,
} from '../../src/features/meetings/search/search-snippets.ts';
import { searchTerms } from '../../src/features/meetings/search/search-terms.ts';
import type { TextRange } from '../../src/platform/text-range.ts';
import { text } from '../../src/platform/text-validation.ts';
import { MAX_TEXT } from '../../src/shared/text-limits.ts';
import { builder } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  toConnection,
} from '../paging.ts';
import { Meeting } from './meetings.ts';

/** Query cost of a word: its postings are read and compared, so a query of many words is a large read. */
const WORD_COST = 5;

const MeetingSearchField = builder.enumType('MeetingSearchField', {
  description: 'Part of a meeting that a search reads.',
  values: {
    title: { description: 'Title of the meeting.' },
    participant: { description: 'Name or email address of a participant.' },
    summary: { description: 'Summary of the meeting.' },
    transcript: { description: 'Text of a segment of the transcript.' },
  } satisfies Record<(typeof SEARCH_FIELDS)[number], { description: string }>,
});

// The fields of a match cost nothing: matches are bounded in number and length, and read with the result.
const MatchedSegment = builder.objectRef<NonNullable<MatchShape['segment']>>('MatchedSegment').implement({
  description: 'Segment of a transcript that matches a search.',
  fields: (t) => ({
    index: t.exposeInt('index', { complexity: 0, description: 'Position in `transcriptJson`, from 0.' }),
    speaker: t.exposeString('speaker', {
      complexity: 0,
      nullable: true,
      description: 'Speaker; null if unknown.',
    }),
    startTime: t.exposeFloat('startTime', {
      complexity: 0,
      nullable: true,
      description: "Start in seconds from the meeting's start; null if unknown.",
    }),
  }),
});

const SnippetHighlight = builder.objectRef<TextRange>('SnippetHighlight').implement({
  description: 'Matching word in a snippet, in UTF-16 code units.',
  fields: (t) => ({
    start: t.exposeInt('start', { complexity: 0, description: 'Position of the first code unit.' }),
    end: t.exposeInt('end', { complexity: 0, description: 'Position after the last code unit.' }),
  }),
});

const MeetingMatch = builder.objectRef<MatchShape>('MeetingMatch').implement({
  description: 'Place in a meeting that matches a search.',
  fields: (t) => ({
    field: t.expose('field', {
      complexity: 0,
      type: MeetingSearchField,
      description: 'Part of the meeting.',
    }),
    snippet: t.exposeString('snippet', {
      complexity: 0,
      description: 'Text around the first match, about 200 characters; `…` marks omitted text.',
    }),
    highlights: t.expose('highlights', {
      type: [SnippetHighlight],
      complexity: { field: 0, multiplier: 1 },
      description: 'Matching words in the snippet, up to 20, in their order.',
    }),
    segment: t.expose('segment', {
      type: MatchedSegment,
      complexity: 0,
      nullable: true,
      description: 'Segment of the transcript; null unless the transcript matches.',
    }),
  }),
});

const MeetingSearchResult = builder.objectRef<FoundMeeting>('MeetingSearchResult').implement({
  description: 'Meeting that matches a search.',
  fields: (t) => ({
    meeting: t.expose('meeting', { type: Meeting, description: 'The meeting.' }),
    score: t.exposeInt('score', {
      description: 'Rank of the meeting: higher is better. Comparable within one search only.',
    }),
    matches: t.expose('matches', {
      type: [MeetingMatch],
      complexity: { field: 0, multiplier: 1 },
      description: `Places that match: title, participants, summary, and for each word the first segment of the transcript with it; up to ${MAX_MATCHES_PER_FIELD} participants and ${MAX_MATCHES_PER_FIELD} segments.`,
    }),
  }),
});

const SearchConnection = connectionType('MeetingSearchResult', MeetingSearchResult, {
  rows: 'search results',
  order: 'best match first',
});

builder.queryFields((t) => ({
  meetingSearch: t.field({
    type: SearchConnection,
    description:
      'Meetings that match all words of a search in title, participants, summary or transcript. A match in title or participants ranks above one in the summary, and that above one in the transcript; then whole words rank above beginnings of words, and later starts above earlier ones. A meeting is found within seconds after it is stored.',
    scope: 'read',
    resource: 'meetings',
    args: {
      ...connectionArgs(),
      query: t.arg.string({
        required: true,
        validate: { schema: text() },
        description:
          'Words in any case and order, or their beginnings; beginnings of one or two characters do not match in transcripts. An email address matches from its beginning. The 16 longest words count. There are no operators.',
      }),
      since: t.arg({ type: 'DateTime', description: 'Only meetings that started at or after this time.' }),
    },
    complexity: (args) => ({
      ...connectionCost(args),
      // Counted before the arguments are validated.
      field: WORD_COST * searchTerms(args.query.slice(0, MAX_TEXT)).length,
    }),
    resolve: (_root, { query, since, ...page }, { tenant, services }) =>
      toConnection(
        services.meetingSearch.search(
          tenant(),
          { query, since: since ?? undefined },
          connectionRequest(page),
        ),
        page,
      ),
  }),
  meetingSearchBacklog: t.int({
    description: `Number of stored meetings whose content \`meetingSearch\` does not find yet, at most ${MAX_BACKLOG.toLocaleString('en')}; 0 when the index is complete.`,
    scope: 'read',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.meetingSearch.backlog(tenant()),
  }),
}));
