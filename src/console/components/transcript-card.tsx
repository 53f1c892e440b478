import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';

interface TranscriptCardProps {
  /** `100 of 450 messages`; null hides it. */
  count: string | null;
  loading: boolean;
  error: unknown;
  showMore?: (() => void) | undefined;
  showAll?: () => void;
  loadingMore?: boolean;
  /** The transcript, or the reason why it is empty. */
  children: ReactNode;
}

/** Frame of the transcripts of conversations and meetings. */
export function TranscriptCard(props: TranscriptCardProps) {
  const { count, loading, error, showMore, showAll, loadingMore, children } = props;
  return (
    <Card withBorder>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Transcript
          </Title>
          {count && (
            <Text size="sm" c="dimmed" role="status">
              {count}
            </Text>
          )}
        </div>
        <ErrorAlert error={error} />
        {loading && <Skeleton h={300} aria-label="Loading the transcript" />}
        {children}
        <ShowMore showMore={showMore} showAll={showAll} loadingMore={loadingMore} />
      </Stack>
    </Card>
  );
}

interface ShowMoreProps {
  /** Shows the next rows; undefined if all rows are shown. */
  showMore: (() => void) | undefined;
  /** Shows all remaining rows. */
  showAll?: () => void;
  loadingMore?: boolean;
}

/** Buttons below a list that show its next rows or all of them. */
function ShowMore({ showMore, showAll, loadingMore = false }: ShowMoreProps) {
  if (!showMore) return null;
  return (
    <Group justify="center">
      <Button variant="default" onClick={showMore} loading={loadingMore}>
        Show more
      </Button>
      {showAll && (
        <Button variant="subtle" onClick={showAll} disabled={loadingMore}>
          Show all
        </Button>
      )}
    </Group>
  );
}
