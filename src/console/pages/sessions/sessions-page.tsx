import { Badge, Button, Card, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type { ConsoleSessionsQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const SESSIONS = graphql(`
  query ConsoleSessions {
    consoleSessions {
      id
      startedAt
      lastUsedAt
      expiresAt
      address
      isCurrent
    }
  }
`);

const END = graphql(`
  mutation EndConsoleSession($id: ID!) {
    endConsoleSession(id: $id) {
      id
    }
  }
`);

type ConsoleSession = ConsoleSessionsQuery['consoleSessions'][number];

const HEAD = ['Signed in', 'Address', 'Last used', 'Ends', 'Action'];
const REFRESH_MS = 30_000;

const sessionsQuery = ({ callFor }: Session) => ({
  queryKey: queryKeys.sessions,
  queryFn: async () => (await callFor(null)(SESSIONS)).consoleSessions,
});

/** Browsers that are signed in with the API key of this session. */
export default function SessionsPage() {
  const session = useSession();
  const { data, error } = useQuery({ ...sessionsQuery(session), refetchInterval: REFRESH_MS });
  return (
    <PageLayout
      title="Sessions"
      subtitle="Browsers that are signed in with the API key of this session."
      actions={
        <Button variant="default" onClick={() => session.signOut({ everywhere: true })}>
          Sign out everywhere
        </Button>
      }
    >
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={160} aria-label="Loading the sessions" />}
      {data && (
        <Card withBorder p={0}>
          <DataTable label="Sessions" minWidthPx={720} head={HEAD}>
            {data.map((row) => (
              <Row key={row.id} session={row} canEnd={session.canWrite} />
            ))}
          </DataTable>
        </Card>
      )}
    </PageLayout>
  );
}

SessionsPage.firstQueries = (session: Session) => [sessionsQuery(session)];

const Row = ({ session, canEnd }: { session: ConsoleSession; canEnd: boolean }) => (
  <Table.Tr>
    <Table.Td>
      <RelativeTime at={session.startedAt} />
    </Table.Td>
    <Table.Td className="mono">{session.address ?? '–'}</Table.Td>
    <Table.Td>
      <RelativeTime at={session.lastUsedAt} />
    </Table.Td>
    <Table.Td>
      <RelativeTime at={session.expiresAt} />
    </Table.Td>
    <Table.Td>
      {session.isCurrent && (
        <Badge variant="outline" tt="none">
          this session
        </Badge>
      )}
      {!session.isCurrent && canEnd && <EndSession {...session} />}
    </Table.Td>
  </Table.Tr>
);

function EndSession({ id, address }: ConsoleSession) {
  const call = useSession().callFor(null);
  const end = useServiceMutation(() => call(END, { id }), { invalidates: [queryKeys.sessions] });
  return (
    <ConfirmDialog
      title="End this session?"
      action="End"
      mutation={end}
      trigger={(open) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`End the session from ${address ?? 'an unknown address'}`}
          onClick={open}
        >
          End
        </Button>
      )}
    >
      <Text size="sm">The browser is signed out. A person with the API key can sign in again.</Text>
    </ConfirmDialog>
  );
}
