import { Divider } from '@mantine/core';
import { Fragment, memo } from 'react';
import { MessageItem } from './message-item.tsx';
import type { MessageEdges } from './use-conversation-transcript.ts';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'full' });
const dayOf = (at: string): string => day.format(new Date(at));

/** About how high a message is, in pixels, until it was drawn. */
const MESSAGE_HEIGHT = 90;

interface TranscriptPartProps {
  edges: MessageEdges;
  /** When what stands before it was said; null: nothing stands before it. */
  before: string | null;
}

/**
 * A page of a transcript; each day begins with a line. It is drawn when it comes into sight, and not again when another
 * page comes: ten thousand messages stay light.
 */
export const TranscriptPart = memo(function TranscriptPart({ edges, before }: TranscriptPartProps) {
  return (
    <ol
      style={{
        listStyle: 'none',
        margin: 0,
        padding: 0,
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${edges.length * MESSAGE_HEIGHT}px`,
      }}
    >
      {edges.map(({ node }, index) => {
        const here = dayOf(node.sentAt);
        const previous = index === 0 ? before : edges[index - 1]?.node.sentAt;
        return (
          <Fragment key={node.id}>
            {(!previous || dayOf(previous) !== here) && (
              <li>
                <Divider label={here} mb="md" />
              </li>
            )}
            <MessageItem message={node} />
          </Fragment>
        );
      })}
    </ol>
  );
});
