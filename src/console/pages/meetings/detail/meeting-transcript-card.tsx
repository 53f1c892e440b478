import { Text } from '@mantine/core';
import { useDeferredValue } from 'react';
import { LATE_CONTENT_DAYS } from '../../../../shared/late-content.ts';
import { TranscriptCard } from '../../../components/transcript-card.tsx';
import { DAY_MS, formatCount } from '../../../format.ts';
import { TranscriptList } from './transcript-list.tsx';
import { TranscriptSearchBar, useTranscriptSearch } from './transcript-search.tsx';
import { type MeetingDetail, type Segment, useMeetingTranscript } from './use-meeting.ts';

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

/** Reason why a meeting has no transcript. */
function MissingTranscript({ startedAt, deletedAt }: MeetingDetail) {
  if (deletedAt) return <Text c="dimmed">The provider returned no transcript before the deletion.</Text>;
  const isFinal = startedAt != null && Date.now() - Date.parse(startedAt) > LATE_CONTENT_DAYS * DAY_MS;
  return (
    <Text c="dimmed">
      {isFinal
        ? 'The provider returned no transcript. Syncs check for one until seven days after the meeting.'
        : 'No transcript yet: the provider may still be processing the recording. Syncs check for one until seven days after the meeting.'}
    </Text>
  );
}
