import { Grid, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconVideoOff } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Page } from '../../../components/page.tsx';
import { moment, secondsBetween, span } from '../format.ts';
import { DetailsCard } from './meeting-details-card.tsx';
import { SummaryCard } from './meeting-summary-card.tsx';
import { TranscriptCard } from './meeting-transcript-card.tsx';
import { ParticipantsCard } from './participants-card.tsx';
import { type MeetingDetail, useMeeting } from './use-meeting.ts';

const BACK = { to: '/meetings', label: 'Meetings' };

/** One meeting: who was there, what it came to, and what was said. */
export default function MeetingPage({ id }: { id: string }) {
  const { data: meeting, error } = useMeeting(id);
  if (!meeting) {
    return (
      <Page title="Meeting" back={BACK}>
        <ErrorNote error={error} />
        {meeting === undefined && !error && <Skeleton h={400} aria-label="Loading the meeting" />}
        {meeting === null && (
          <EmptyState icon={IconVideoOff} title="There is no such meeting">
            It may belong to another customer, or has not been synced yet. Look for it in the list.
          </EmptyState>
        )}
      </Page>
    );
  }
  return (
    <Page title={meeting.title || 'Untitled meeting'} back={BACK} subtitle={<When {...meeting} />}>
      <ErrorNote error={error} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <SummaryCard summary={meeting.summaryText ?? null} />
            <TranscriptCard key={id} meeting={meeting} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <ParticipantsCard participants={meeting.participantsJson ?? []} />
            <DetailsCard meeting={meeting} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

const When = ({ startedAt, endedAt }: MeetingDetail) => (
  <Group gap="xs">
    {startedAt && <Text size="sm">{moment.format(new Date(startedAt))}</Text>}
    {startedAt && endedAt && <Text size="sm">for {span(secondsBetween(startedAt, endedAt))}</Text>}
  </Group>
);
