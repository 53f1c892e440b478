import { Button, Card, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { usePaged } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-alert.tsx';
import { Page } from '../../components/page.tsx';
import { MoreButton } from '../../components/show-more.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';
import { KeyDialog } from './create-key-dialog.tsx';
import { KeyTable } from './key-table.tsx';

const API_KEYS = graphql(`
  query ApiKeys($after: String) {
    apiKeys(first: 50, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          id
          scope
          customerId
          prefix
          createdAt
          expiresAt
          lastUsedAt
          revokedAt
        }
      }
    }
  }
`);

/** All API keys: of every customer, and of admins. */
export default function KeysPage() {
  const { call } = useSession();
  const [creating, { open, close }] = useDisclosure(false);
  const list = usePaged(['api-keys'], async (after) => (await call(API_KEYS, { after })).apiKeys);
  return (
    <Page
      title="API keys"
      subtitle="What opens the service. Only a hash is stored: a key that was lost is replaced by a new one."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          New key
        </Button>
      }
    >
      {creating && <KeyDialog close={close} />}
      <ErrorNote error={list.error} />
      {list.loading && <Skeleton h={240} aria-label="Loading API keys" />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <EmptyState icon={IconKey} title="No API keys yet">
          Make one for a customer, or for another admin.
        </EmptyState>
      )}
      {list.rows.length > 0 && (
        <Stack>
          <Card withBorder p={0}>
            <KeyTable keys={list.rows} />
          </Card>
          <MoreButton {...list} />
        </Stack>
      )}
    </Page>
  );
}
