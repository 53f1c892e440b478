import { Card, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Facts } from '../../../components/description-list.tsx';
import { absolute } from '../../../components/relative-time.tsx';
import type { ConversationDetail } from './use-conversation.ts';

const at = (time: string): string => absolute.format(new Date(time));

/** The rest that is known of a conversation. */
export function DetailsCard({ id, goal, startedAt, endedAt }: ConversationDetail) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <Facts
        facts={[
          ['Goal', goal],
          ['Started', at(startedAt)],
          ['Ended', endedAt && at(endedAt)],
          ['Conversation id', <CopyValue key="id" value={id} label="conversation id" />],
        ]}
      />
    </Card>
  );
}
