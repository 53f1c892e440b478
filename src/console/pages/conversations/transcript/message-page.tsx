import { Divider } from '@mantine/core';
import { Fragment, memo } from 'react';
import { useTimeFormat } from '../../../time-format.ts';
import { MessageItem } from './message-item.tsx';
import type { MessageEdges } from './use-conversation-transcript.ts';

/** Estimated height of a message before it is rendered. */
const MESSAGE_HEIGHT_PX = 90;

interface MessagePageProps {
  edges: MessageEdges;
  /** Time of the last message of the previous page; null on the first page. */
  previousSentAt: string | null;
}

/**
 * A page of messages with a divider before each day. The browser renders it only when it scrolls into view, and
 * loading another page does not render it again, which keeps transcripts of 10,000 messages fast.
 */
export const MessagePage = memo(function MessagePage({ edges, previousSentAt }: MessagePageProps) {
  const { formatWeekdayDate } = useTimeFormat();
  return (
    <ol
      style={{
        listStyle: 'none',
        margin: 0,
        padding: 0,
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${edges.length * MESSAGE_HEIGHT_PX}px`,
      }}
    >
      {edges.map(({ node }, index) => {
        const date = formatWeekdayDate(node.sentAt);
        const previous = index === 0 ? previousSentAt : edges[index - 1]?.node.sentAt;
        return (
          <Fragment key={node.id}>
            {(!previous || formatWeekdayDate(previous) !== date) && (
              <li>
                <Divider label={date} mb="md" />
              </li>
            )}
            <MessageItem message={node} />
          </Fragment>
        );
      })}
    </ol>
  );
});
