import { Box, Button, Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { number } from '../../../format.ts';
import { TranscriptPart } from './message-page.tsx';
import { useTranscript } from './use-conversation-transcript.ts';

/** What was said, as a chat. */
export function TranscriptCard({ id, messageCount }: { id: string; messageCount: number }) {
  const { pages, loading, error, more, rest, loadingMore } = useTranscript(id, messageCount);
  const read = pages.reduce((sum, edges) => sum + edges.length, 0);
  return (
    <Card withBorder>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Transcript
        </Title>
        <Text size="sm" c="dimmed">
          {more ? `${number.format(read)} of ` : ''}
          {number.format(messageCount)} {messageCount === 1 ? 'message' : 'messages'}
        </Text>
      </Group>
      {loading && <Skeleton h={300} aria-label="Loading the transcript" />}
      {!loading && read === 0 && !error && <Text c="dimmed">Nothing has been said yet.</Text>}
      {read > 0 && (
        <Box
          mah="min(70vh, 760px)"
          pr="sm"
          style={{ overflowY: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label="Transcript"
        >
          {pages.map((edges, index) => (
            <TranscriptPart
              key={edges[0]?.node.id ?? index}
              edges={edges}
              before={pages[index - 1]?.at(-1)?.node.sentAt ?? null}
            />
          ))}
        </Box>
      )}
      <ErrorNote error={error} />
      {more && read > 0 && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={more} loading={loadingMore}>
            Show more
          </Button>
          <Button variant="subtle" onClick={rest} disabled={loadingMore}>
            Show all
          </Button>
        </Group>
      )}
    </Card>
  );
}
