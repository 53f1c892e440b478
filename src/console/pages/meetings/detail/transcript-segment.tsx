import { Highlight, Text } from '@mantine/core';
import { memo } from 'react';
import { position } from '../format.ts';
import type { Segment } from './use-meeting.ts';

interface SegmentItemProps {
  segment: Segment;
  /** The one above; its speaker is not named again. */
  before: Segment | undefined;
  /** Words to mark; empty: none. */
  mark: string;
}

/** Something that was said. It is drawn when it comes into sight: thousands of them stay light. */
export const SegmentItem = memo(function SegmentItem({ segment, before, mark }: SegmentItemProps) {
  const { speaker, text, startTime } = segment;
  const goesOn = before !== undefined && before.speaker === speaker;
  return (
    <li
      style={{
        display: 'grid',
        gridTemplateColumns: '4rem minmax(0, 1fr)',
        contentVisibility: 'auto',
        containIntrinsicSize: 'auto 48px',
        paddingTop: goesOn ? 4 : 12,
      }}
    >
      <Text size="xs" c="dimmed" className="mono" lh="1.375rem">
        {startTime == null ? '' : position(startTime)}
      </Text>
      <div>
        {!goesOn && (
          <Text size="sm" fw={600} className="breakable">
            {speaker ?? 'Speaker not known'}
          </Text>
        )}
        <Highlight highlight={mark} size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Highlight>
      </div>
    </li>
  );
});
