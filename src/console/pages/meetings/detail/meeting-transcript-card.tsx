import { Text } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { SearchInput } from '../../../components/search-input.tsx';
import { TranscriptCard } from '../../../components/transcript-card.tsx';
import { formatCount, formatNumber } from '../../../format.ts';
import { MissingTranscript } from './missing-transcript.tsx';
import { TranscriptSegment } from './transcript-segment.tsx';
import { type MeetingDetail, useMeetingTranscript } from './use-meeting.ts';

/** Segments per step; a long meeting has thousands. */
const STEP = 200;

/** Transcript with its own search, because the search of the browser finds only the rendered segments. */
export function MeetingTranscriptCard({ meeting }: { meeting: MeetingDetail }) {
  const { data: transcript, error } = useMeetingTranscript(meeting.recorderMeetingId);
  const [search, setSearch] = useState('');
  const [shownCount, setShownCount] = useState(STEP);
  const searchText = search.trim().toLowerCase();
  const segments = transcript ?? [];
  const matches = searchText
    ? segments.filter(({ text }) => text.toLowerCase().includes(searchText))
    : segments;
  const count = formatCount(segments.length, 'segment');
  const hasMore = matches.length > shownCount;
  const startSearch = (text: string): void => {
    setSearch(text);
    setShownCount(STEP);
  };
  return (
    <TranscriptCard
      count={
        segments.length === 0 ? null : searchText ? `${formatNumber(matches.length)} of ${count}` : count
      }
      loading={transcript === undefined && !error}
      error={error}
      search={
        segments.length > 0 && (
          <SearchInput
            label="Search transcript"
            icon={<IconSearch size={16} aria-hidden />}
            value={search}
            onSearch={startSearch}
          />
        )
      }
      showMore={hasMore ? () => setShownCount(shownCount + STEP) : undefined}
      showAll={() => setShownCount(matches.length)}
    >
      {transcript !== undefined && segments.length === 0 && (
        <MissingTranscript startedAt={meeting.startedAt} />
      )}
      {segments.length > 0 && matches.length === 0 && <Text c="dimmed">No matching segments.</Text>}
      {matches.length > 0 && (
        <ol aria-label="Transcript" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {matches.slice(0, shownCount).map((segment, index) => (
            <TranscriptSegment
              key={segment.index}
              segment={segment}
              previous={searchText ? undefined : matches[index - 1]}
              highlight={searchText}
            />
          ))}
        </ol>
      )}
    </TranscriptCard>
  );
}
