import { Card, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DateTime } from '../../../components/date-time.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { formatCount, formatDuration, millisecondsBetween } from '../../../format.ts';
import { FieldWarnings } from '../field-warnings.tsx';
import type { MeetingDetail } from './use-meeting.ts';

export function MeetingDetailsCard({ meeting }: { meeting: MeetingDetail }) {
  const { recorderMeetingId, startedAt, endedAt, sentimentScore, warnings } = meeting;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <DescriptionList
        items={[
          ['Started', startedAt ? <DateTime key="started" at={startedAt} /> : 'unknown'],
          ['Ended', endedAt ? <DateTime key="ended" at={endedAt} /> : 'unknown'],
          ['Duration', startedAt && endedAt && formatDuration(millisecondsBetween(startedAt, endedAt))],
          ['Sentiment', sentimentScore],
          [
            'Provider meeting ID',
            <CopyValue key="id" value={recorderMeetingId} label="provider meeting ID" />,
          ],
        ]}
      />
      {warnings.length > 0 && (
        <FieldWarnings summary={formatCount(warnings.length, 'malformed field')}>
          {warnings.map(({ path, reason }) => (
            <li key={path}>
              <code>{path}</code>: {reason}
            </li>
          ))}
        </FieldWarnings>
      )}
    </Card>
  );
}
