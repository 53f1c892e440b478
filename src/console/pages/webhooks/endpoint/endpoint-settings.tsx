import { Badge, Card, Group, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import type { Endpoint } from '../endpoints/use-endpoints.ts';

function SubscribedEvents({ names }: { names: string[] | null }) {
  if (names === null) return 'All, including future event types';
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Badge key={name} variant="default" tt="none" className="mono">
          {name}
        </Badge>
      ))}
    </Group>
  );
}

export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, events, createdAt, updatedAt } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Settings
      </Title>
      <DescriptionList
        items={[
          ['URL', <CopyValue key="url" value={url} label="URL" />],
          ['Description', description],
          ['Events', <SubscribedEvents key="events" names={events} />],
          ['ID', id],
          ['Created', <RelativeTime key="created" at={createdAt} />],
          ['Updated', <RelativeTime key="updated" at={updatedAt} />],
        ]}
      />
    </Card>
  );
}
