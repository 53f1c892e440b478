import { Text } from '@mantine/core';
import { useDeferredValue } from 'react';
import { TranscriptCard } from '../../../components/transcript-card.tsx';
import { formatCount } from '../../../format.ts';
import { MissingTranscript } from './missing-transcript.tsx';
import { TranscriptList } from './transcript-list.tsx';
import { TranscriptSearchBar } from './transcript-search-bar.tsx';
import { type MeetingDetail, type Segment, useMeetingTranscript } from './use-meeting.ts';
import { useTranscriptSearch } from './use-transcript-search.ts';

const NO_SEGMENTS: readonly Segment[] = [];

/** Transcript with its own search. */
export function MeetingTranscriptCard({ meeting }: { meeting: MeetingDetail }) {
  const { data: transcript, error } = useMeetingTranscript(meeting.recorderMeetingId);
  // Rendering thousands of segments does not block the page.
  const segments = useDeferredValue(transcript ?? NO_SEGMENTS);
  const search = useTranscriptSearch(segments);
  return (
    <TranscriptCard
      count={segments.length === 0 ? null : formatCount(segments.length, 'segment')}
      loading={transcript === undefined && !error}
      error={error}
    >
      {(transcript === null || transcript?.length === 0) && <MissingTranscript {...meeting} />}
      {segments.length > 0 && (
        <>
          <TranscriptSearchBar search={search} />
          <TranscriptList segments={segments} search={search} />
          <Text size="xs" c="dimmed">
            Each time links to its segment. In the transcript, the arrow keys move from segment to segment.
          </Text>
        </>
      )}
    </TranscriptCard>
  );
}
