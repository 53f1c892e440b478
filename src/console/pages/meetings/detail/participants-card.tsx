import { Anchor, Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { participantMeetingsPath } from '../meeting-paths.ts';
import { participantName } from '../participant-name.ts';
import type { MeetingDetail } from './use-meeting.ts';

type Participant = NonNullable<MeetingDetail['participantsJson']>[number];

export const ParticipantsCard = ({ participants }: { participants: readonly Participant[] }) => (
  <Card withBorder>
    <Title order={2} size="h4" mb="md">
      Participants
    </Title>
    {participants.length === 0 && <Text c="dimmed">The provider returned no participants.</Text>}
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {participants.map((participant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: participants can be equal, and their order is stable
        <ParticipantItem key={index} {...participant} />
      ))}
    </Stack>
  </Card>
);

const ParticipantItem = ({ name, email, role }: Participant) => (
  <li>
    <Group gap="xs">
      <Text size="sm" fw={550} className="breakable">
        {participantName({ name, email })}
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
        <Anchor component={Link} href={participantMeetingsPath(email)} size="sm">
          All meetings with {participantName({ name, email })}
        </Anchor>
      </>
    ) : (
      <Text size="sm" c="dimmed">
        No email address, so not linked to a person
      </Text>
    )}
  </li>
);
