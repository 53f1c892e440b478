import { Card, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { useTimeFormat } from '../../../time-format.ts';
import type { ConversationDetail } from './use-conversation.ts';

export function ConversationDetailsCard({ id, goal, startedAt, endedAt }: ConversationDetail) {
  const { formatExactTime } = useTimeFormat();
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <DescriptionList
        items={[
          ['Goal', goal],
          ['Started', formatExactTime(startedAt)],
          ['Ended', endedAt && formatExactTime(endedAt)],
          ['Conversation ID', <CopyValue key="id" value={id} label="conversation ID" />],
        ]}
      />
    </Card>
  );
}
