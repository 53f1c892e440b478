import { memo } from 'react';
import { MarkedText, type TextRange } from '../../../components/marked-text.tsx';
import { formatOffset } from '../../../format.ts';
import { segmentFragment } from '../meeting-paths.ts';
import classes from './transcript.module.css';
import type { Segment } from './use-meeting.ts';

interface TranscriptSegmentProps {
  segment: Segment;
  /** False if the segment above has the same speaker. */
  showsSpeaker: boolean;
  /** Matches of the search. */
  matches: readonly TextRange[];
  /** True for the segment that the search is at. */
  isCurrentMatch: boolean;
  /** True for the segment that the URL links to. */
  isLinked: boolean;
  /** True for the one segment that the Tab key reaches. */
  isTabStop: boolean;
}

/** A transcript segment, with a link to itself. */
export const TranscriptSegment = memo(function TranscriptSegment(props: TranscriptSegmentProps) {
  const { segment, showsSpeaker, matches, isCurrentMatch, isLinked, isTabStop } = props;
  const { index, speaker, text, startTime } = segment;
  return (
    <li
      className={showsSpeaker ? `${classes.segment} ${classes.first}` : classes.segment}
      aria-current={isLinked || undefined}
      data-match={isCurrentMatch || undefined}
    >
      <div>
        <a
          href={segmentFragment(index)}
          tabIndex={isTabStop ? 0 : -1}
          data-index={index}
          className={`mono ${classes.time}`}
        >
          {startTime == null ? `#${index + 1}` : formatOffset(startTime)}
        </a>
      </div>
      <div className="breakable">
        {showsSpeaker && <div className={classes.speaker}>{speaker ?? 'Unknown speaker'}</div>}
        <div className={classes.text}>
          <MarkedText text={text} ranges={matches} />
        </div>
      </div>
    </li>
  );
});
