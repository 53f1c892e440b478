import { Anchor, Card, Text, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Facts } from '../../../components/description-list.tsx';
import type { ConversationDetail } from './use-conversation.ts';

/** Who the visitor is, as far as that is known. */
export function VisitorCard({ visitorId, identity }: ConversationDetail) {
  const name = [identity?.firstName, identity?.lastName].filter(Boolean).join(' ');
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Visitor
      </Title>
      <Facts
        facts={[
          ['Name', name],
          ['Job title', identity?.jobTitle],
          ['Company', identity?.company],
          ['E-mail', identity?.email && <Anchor href={`mailto:${identity.email}`}>{identity.email}</Anchor>],
          ['Person id', identity && <CopyValue value={identity.resolvedPersonId} label="person id" />],
          ['Visitor id', <CopyValue key="visitor" value={visitorId} label="visitor id" />],
        ]}
      />
      {!identity && (
        <Text size="sm" c="dimmed" mt="sm">
          Who it is has not been resolved.
        </Text>
      )}
    </Card>
  );
}
