import { Box, Text } from '@mantine/core';
import { TranscriptCard } from '../../../components/transcript-card.tsx';
import { formatCount, formatNumber } from '../../../format.ts';
import { MessagePage } from './message-page.tsx';
import { useConversationTranscript } from './use-conversation-transcript.ts';

interface ConversationTranscriptCardProps {
  conversationId: string;
  messageCount: number;
}

export function ConversationTranscriptCard({
  conversationId,
  messageCount,
}: ConversationTranscriptCardProps) {
  const { pages, loading, error, showMore, showAll, loadingMore } = useConversationTranscript(
    conversationId,
    messageCount,
  );
  const loadedCount = pages.reduce((sum, edges) => sum + edges.length, 0);
  const count = formatCount(messageCount, 'message');
  return (
    <TranscriptCard
      count={showMore ? `${formatNumber(loadedCount)} of ${count}` : count}
      loading={loading}
      error={error}
      showMore={loadedCount > 0 ? showMore : undefined}
      showAll={showAll}
      loadingMore={loadingMore}
    >
      {!loading && loadedCount === 0 && !error && <Text c="dimmed">No messages yet.</Text>}
      {loadedCount > 0 && (
        <Box
          mah="min(70vh, 760px)"
          pr="sm"
          style={{ overflowY: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label="Transcript"
        >
          {pages.map((edges, index) => (
            <MessagePage
              key={edges[0]?.node.id ?? index}
              edges={edges}
              previousSentAt={pages[index - 1]?.at(-1)?.node.sentAt ?? null}
            />
          ))}
        </Box>
      )}
    </TranscriptCard>
  );
}
