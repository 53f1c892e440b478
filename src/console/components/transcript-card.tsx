import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';
import { ShowMore } from './show-more.tsx';

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
