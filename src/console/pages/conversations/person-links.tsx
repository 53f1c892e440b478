import { Anchor, Group } from '@mantine/core';
import { Link } from 'wouter';
import { useSession } from '../../session/session.tsx';

interface PersonLinksProps {
  conversation: {
    id: string;
    visitorId: string;
    identity: { email: string | null; resolvedPersonId: string } | null;
  };
}

const pathOf = (page: string, params: Record<string, string | null | undefined>): string => {
  const given = Object.entries(params).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `${page}?${new URLSearchParams(given)}`;
};

/** Links from a conversation to its deliveries, and to the meetings and the erasure of its person. */
export function PersonLinks({ conversation: { id, visitorId, identity } }: PersonLinksProps) {
  const { canRead, canWrite, isLimited } = useSession();
  const email = identity?.email;
  const links = [
    ...(canRead('webhooks') ? [['Deliveries', pathOf('/deliveries', { conversation: id })]] : []),
    ...(email && canRead('meetings') ? [['Meetings', pathOf('/meetings', { search: email })]] : []),
    ...(canWrite && !isLimited
      ? [['Erase', pathOf('/privacy', { email, visitor: visitorId, person: identity?.resolvedPersonId })]]
      : []),
  ] as [string, string][];
  return (
    <Group gap="sm">
      {links.map(([label, href]) => (
        <Anchor key={label} component={Link} href={href} size="sm">
          {label}
        </Anchor>
      ))}
    </Group>
  );
}
