import { Alert, Grid, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconTrash, IconVideoOff } from '@tabler/icons-react';
import { DateTime } from '../../../components/date-time.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { formatDuration, millisecondsBetween } from '../../../format.ts';
import { MeetingDetailsCard } from './meeting-details-card.tsx';
import { MeetingSummaryCard } from './meeting-summary-card.tsx';
import { MeetingTranscriptCard } from './meeting-transcript-card.tsx';
import { ParticipantsCard } from './participants-card.tsx';
import { type MeetingDetail, useMeeting } from './use-meeting.ts';

const BACK = { to: '/meetings', label: 'Meetings' };

export default function MeetingPage({ id }: { id: string }) {
  const { data: meeting, error } = useMeeting(id);
  if (!meeting) {
    return (
      <PageLayout title="Meeting" back={BACK}>
        <ErrorAlert error={error} />
        {meeting === undefined && !error && <Skeleton h={400} aria-label="Loading the meeting" />}
        {meeting === null && (
          <EmptyState icon={IconVideoOff} title="Meeting not found">
            It may belong to another customer, or not have been synced yet.
          </EmptyState>
        )}
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={meeting.title || 'Untitled meeting'}
      back={BACK}
      subtitle={<StartAndDuration {...meeting} />}
    >
      <ErrorAlert error={error} />
      {meeting.deletedAt && (
        <Alert color="gray" icon={<IconTrash aria-hidden />} title="Deleted at the provider">
          The provider no longer has this meeting. The deletion was found on{' '}
          <DateTime at={meeting.deletedAt} />. The meeting is kept here, but searches and activities leave it
          out. It is restored if the provider lists it again.
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <MeetingSummaryCard summary={meeting.summaryText ?? null} />
            <MeetingTranscriptCard key={id} meeting={meeting} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <ParticipantsCard participants={meeting.participantsJson ?? []} />
            <MeetingDetailsCard meeting={meeting} />
          </Stack>
        </Grid.Col>
      </Grid>
    </PageLayout>
  );
}

const StartAndDuration = ({ startedAt, endedAt }: MeetingDetail) => (
  <Group gap="xs">
    {startedAt && (
      <Text size="sm">
        <DateTime at={startedAt} />
      </Text>
    )}
    {startedAt && endedAt && (
      <Text size="sm">({formatDuration(millisecondsBetween(startedAt, endedAt))})</Text>
    )}
  </Group>
);
