import { Anchor, Group } from '@mantine/core';
import { Link } from 'wouter';
import { withSearchParams } from '../../search-params.ts';
import { useSession } from '../../session/session.tsx';
import { participantMeetingsPath } from '../meetings/meeting-paths.ts';

interface PersonLinksProps {
  conversation: {
    id: string;
    visitorId: string;
    identity: { email: string | null; resolvedPersonId: string } | null;
  };
}

/** Links from a conversation to its deliveries, and to the meetings and the erasure of its person. */
export function PersonLinks({ conversation: { id, visitorId, identity } }: PersonLinksProps) {
  const { canRead, canWrite, isLimited } = useSession();
  const email = identity?.email ?? null;
  const person = { email, visitor: visitorId, person: identity?.resolvedPersonId ?? null };
  return (
    <Group gap="sm">
      {canRead('webhooks') && <PersonLink href={`/deliveries?conversation=${id}`}>Deliveries</PersonLink>}
      {email && canRead('meetings') && (
        <PersonLink href={participantMeetingsPath(email)}>Meetings</PersonLink>
      )}
      {canWrite && !isLimited && (
        <PersonLink href={`/privacy?${withSearchParams(new URLSearchParams(), person)}`}>Erase</PersonLink>
      )}
    </Group>
  );
}

const PersonLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} size="sm">
    {children}
  </Anchor>
);
