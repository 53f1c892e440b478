import { memo } from 'react';
import classes from './transcript.module.css';
import { TranscriptSegment } from './transcript-segment.tsx';
import type { Segment } from './use-meeting.ts';
import { type Matches, NO_MATCHES } from './use-transcript-search.ts';

interface TranscriptPageProps {
  segments: readonly Segment[];
  /** Speaker of the segment above; undefined always shows the first speaker. */
  previousSpeaker: string | null | undefined;
  matches: Matches;
  /** Segment that the search is at; null if it is not on this page. */
  currentMatch: number | null;
  /** Segment that the URL links to; null if it is not on this page. */
  linkedIndex: number | null;
  /** Segment that the Tab key reaches; null if it is not on this page. */
  tabStop: number | null;
}

/** Successive segments of a transcript. The browser lays them out only when they scroll into view. */
export const TranscriptPage = memo(function TranscriptPage(props: TranscriptPageProps) {
  const { segments, previousSpeaker, matches, currentMatch, linkedIndex, tabStop } = props;
  const [{ index: first } = { index: 0 }] = segments;
  return (
    <ol start={first + 1} className={classes.page}>
      {segments.map((segment, position) => {
        const { index, speaker } = segment;
        const speakerAbove = position === 0 ? previousSpeaker : segments[position - 1]?.speaker;
        return (
          <TranscriptSegment
            key={index}
            segment={segment}
            showsSpeaker={speakerAbove !== speaker}
            matches={matches.get(index) ?? NO_MATCHES}
            isCurrentMatch={index === currentMatch}
            isLinked={index === linkedIndex}
            isTabStop={index === tabStop}
          />
        );
      })}
    </ol>
  );
});
