import { Badge, Card, Group, Title } from '@mantine/core';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Facts } from '../../../components/description-list.tsx';
import { Time } from '../../../components/relative-time.tsx';
import type { Endpoint } from '../endpoints/use-endpoints.ts';

function Events({ names }: { names: string[] | null }) {
  if (names === null) return 'All, those to come too';
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

/** What an endpoint is set to. */
export function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, events, createdAt, updatedAt } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Settings
      </Title>
      <Facts
        facts={[
          ['URL', <CopyValue key="url" value={url} label="URL" />],
          ['Description', description],
          ['Events', <Events key="events" names={events} />],
          ['Number', id],
          ['Created', <Time key="created" at={createdAt} />],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
    </Card>
  );
}
