import { Button, Card, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { queryKeys } from '../../api/query-keys.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
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

export default function KeysPage() {
  const { call } = useSession();
  const [creating, { open, close }] = useDisclosure(false);
  const list = usePagedList(queryKeys.apiKeys, async (after) => (await call(API_KEYS, { after })).apiKeys);
  return (
    <PageLayout
      title="API keys"
      subtitle="Keys of all customers and admins. Only hashes are stored, so replace a lost key with a new one."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          Create key
        </Button>
      }
    >
      {creating && <CreateKeyDialog close={close} />}
      <PagedRows label="API keys" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={240} aria-label="Loading API keys" />}
        {!list.loading && !list.error && list.rows.length === 0 && (
          <EmptyState icon={IconKey} title="No API keys yet">
            Create a key for a customer or an admin.
          </EmptyState>
        )}
        {list.rows.length > 0 && (
          <Card withBorder p={0}>
            <KeyTable keys={list.rows} />
          </Card>
        )}
      </PagedRows>
    </PageLayout>
  );
}
