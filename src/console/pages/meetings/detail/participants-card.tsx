import { Anchor, Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { meetingsOfPath } from '../list/use-meetings-view.ts';
import type { MeetingDetail } from './use-meeting.ts';

type Participant = NonNullable<MeetingDetail['participantsJson']>[number];

/** Who was there. */
export const ParticipantsCard = ({ participants }: { participants: readonly Participant[] }) => (
  <Card withBorder>
    <Title order={2} size="h4" mb="md">
      Participants
    </Title>
    {participants.length === 0 && <Text c="dimmed">The provider has no attendee data.</Text>}
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {participants.map((participant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be alike, and their order stays
        <Person key={index} {...participant} />
      ))}
    </Stack>
  </Card>
);

const Person = ({ name, email, role }: Participant) => (
  <li>
    <Group gap="xs">
      <Text size="sm" fw={550} className="breakable">
        {name || email || 'Somebody'}
      </Text>
      {role && (
        <Badge variant="light" color={role === 'host' ? 'indigo' : 'gray'} tt="none">
          {role}
        </Badge>
      )}
    </Group>
    {email ? (
      <>
        <Text size="sm" className="breakable">
          {email}
        </Text>
        <Anchor component={Link} href={meetingsOfPath(email)} size="sm">
          All meetings with {name || 'them'}
        </Anchor>
      </>
    ) : (
      <Text size="sm" c="dimmed">
        no e-mail address: cannot be linked to a person
      </Text>
    )}
  </li>
);
