import { Card, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Facts } from '../../../components/description-list.tsx';
import { moment, secondsBetween, span } from '../format.ts';
import type { MeetingDetail } from './use-meeting.ts';

/** When it was, and what the provider calls it. */
export function DetailsCard({ meeting }: { meeting: MeetingDetail }) {
  const { recorderMeetingId, startedAt, endedAt, sentimentScore } = meeting;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <Facts
        facts={[
          ['Started', startedAt ? moment.format(new Date(startedAt)) : 'not known'],
          ['Ended', endedAt ? moment.format(new Date(endedAt)) : 'not known'],
          ['Duration', startedAt && endedAt && span(secondsBetween(startedAt, endedAt))],
          ['Sentiment', sentimentScore],
          [
            "Provider's meeting id",
            <CopyValue key="id" value={recorderMeetingId} label="the provider's meeting id" />,
          ],
        ]}
      />
    </Card>
  );
}
