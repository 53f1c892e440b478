import { Highlight, Text } from '@mantine/core';
import { memo } from 'react';
import { formatOffset } from '../../../format.ts';
import type { Segment } from './use-meeting.ts';

interface TranscriptSegmentProps {
  segment: Segment;
  /** The segment above; undefined always shows the speaker. */
  previous: Segment | undefined;
  /** Search text to highlight; empty: none. */
  highlight: string;
}

/** A transcript segment. The browser renders it only when it scrolls into view. */
export const TranscriptSegment = memo(function TranscriptSegment({
  segment,
  previous,
  highlight,
}: TranscriptSegmentProps) {
  const { speaker, text, startTime } = segment;
  const sameSpeaker = previous !== undefined && previous.speaker === speaker;
  return (
    <li
      style={{
        display: 'grid',
        gridTemplateColumns: '4rem minmax(0, 1fr)',
        contentVisibility: 'auto',
        containIntrinsicSize: 'auto 48px',
        paddingTop: sameSpeaker ? 4 : 12,
      }}
    >
      <Text size="xs" c="dimmed" className="mono" lh="1.375rem">
        {startTime == null ? '' : formatOffset(startTime)}
      </Text>
      <div>
        {!sameSpeaker && (
          <Text size="sm" fw={600} className="breakable">
            {speaker ?? 'Unknown speaker'}
          </Text>
        )}
        <Highlight highlight={highlight} size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Highlight>
      </div>
    </li>
  );
});
