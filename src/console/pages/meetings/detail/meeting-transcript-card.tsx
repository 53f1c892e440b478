import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { TypedInput } from '../../../components/search-input.tsx';
import { number } from '../../../format.ts';
import { TranscriptAwaited } from './missing-transcript.tsx';
import { SegmentItem } from './transcript-segment.tsx';
import { type MeetingDetail, useTranscript } from './use-meeting.ts';

/** Segments that are shown at first, and more each time: a long meeting has thousands. */
const STEP = 200;

/** What was said, by whom and when. It can be searched here, since the browser finds only what is shown. */
export function TranscriptCard({ meeting }: { meeting: MeetingDetail }) {
  const { data: transcript, error } = useTranscript(meeting.recorderMeetingId);
  const [find, setFind] = useState('');
  const [shown, setShown] = useState(STEP);
  const words = find.trim().toLowerCase();
  const segments = transcript ?? [];
  const found = words ? segments.filter(({ text }) => text.toLowerCase().includes(words)) : segments;
  const look = (typed: string): void => {
    setFind(typed);
    setShown(STEP);
  };
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between" align="flex-end">
          <div>
            <Title order={2} size="h4">
              Transcript
            </Title>
            {segments.length > 0 && (
              <Text size="sm" c="dimmed" role="status">
                {words && `${number.format(found.length)} of `}
                {number.format(segments.length)} {segments.length === 1 ? 'segment' : 'segments'}
              </Text>
            )}
          </div>
          {segments.length > 0 && (
            <TypedInput
              label="Find in the transcript"
              icon={<IconSearch size={16} aria-hidden />}
              value={find}
              onPause={look}
            />
          )}
        </Group>
        <ErrorNote error={error} />
        {transcript === undefined && !error && <Skeleton h={300} aria-label="Loading the transcript" />}
        {transcript !== undefined && segments.length === 0 && (
          <TranscriptAwaited startedAt={meeting.startedAt} />
        )}
        {segments.length > 0 && found.length === 0 && <Text c="dimmed">Nobody has said that.</Text>}
        {found.length > 0 && (
          <ol aria-label="Transcript" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            {found.slice(0, shown).map((segment, index) => (
              <SegmentItem
                key={segment.place}
                segment={segment}
                before={words ? undefined : found[index - 1]}
                mark={words}
              />
            ))}
          </ol>
        )}
        {found.length > shown && (
          <Group justify="center">
            <Button variant="default" onClick={() => setShown(shown + STEP)}>
              Show {number.format(Math.min(STEP, found.length - shown))} more
            </Button>
            <Button variant="subtle" onClick={() => setShown(found.length)}>
              Show all
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
