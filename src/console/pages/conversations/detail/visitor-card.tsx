import { Anchor, Card, Text, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { mailAddress } from '../../../format.ts';
import { fullName } from '../visitor-name.ts';
import type { ConversationDetail } from './use-conversation.ts';

export function VisitorCard({ visitorId, identity }: ConversationDetail) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Visitor
      </Title>
      <DescriptionList
        items={[
          ['Name', fullName(identity)],
          ['Job title', identity?.jobTitle],
          ['Company', identity?.company],
          ['Email', identity?.email && <Anchor href={mailAddress(identity.email)}>{identity.email}</Anchor>],
          ['Person ID', identity && <CopyValue value={identity.resolvedPersonId} label="person ID" />],
          ['Visitor ID', <CopyValue key="visitor" value={visitorId} label="visitor ID" />],
        ]}
      />
      {!identity && (
        <Text size="sm" c="dimmed" mt="sm">
          Identity not resolved.
        </Text>
      )}
    </Card>
  );
}
