import { Button, Card, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { queryKeys } from '../../api/query-keys.ts';
import { useFilters } from '../../api/use-filters.ts';
import { firstPageQuery, type ListQuery, usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { InvalidParamsAlert } from '../../components/invalid-params-alert.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { graphql } from '../../generated/gql.ts';
import { NO_PARAMS } from '../../search-params.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyFilterBar, type KeyFilters, readKeyFilters } from './key-filters.tsx';
import { type ApiKey, KeyTable } from './key-table.tsx';

const API_KEYS = graphql(`
  query ApiKeys($after: String, $text: String, $scope: KeyScope, $state: KeyState, $customerId: Int) {
    apiKeys(
      first: 50
      after: $after
      text: $text
      scope: $scope
      state: $state
      customerId: $customerId
    ) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          id
          name
          state
          scope
          resources
          networks
          customerId
          prefix
          createdAt
          expiresAt
          expiresSoon
          lastUsedAt
          lastUsedAddress
          revokedAt
        }
      }
    }
  }
`);

function keyList(session: Session, { owner, ...others }: KeyFilters): ListQuery<ApiKey> {
  const filter = { ...others, customerId: owner === 'customer' ? session.customerId : null };
  return {
    key: [...queryKeys.apiKeys, filter],
    loadPage: async (after) => (await session.callFor(null)(API_KEYS, { after, ...filter })).apiKeys,
  };
}

export default function KeysPage() {
  const filtering = useFilters(readKeyFilters);
  const [creating, { open, close }] = useDisclosure(false);
  const list = usePagedList(keyList(useSession(), filtering.filters));
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
      <InvalidParamsAlert params={filtering.invalid} />
      <KeyFilterBar {...filtering} />
      <PagedRows label="API keys" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={240} aria-label="Loading API keys" />}
        {!list.loading && !list.error && list.rows.length === 0 && (
          <EmptyState
            icon={IconKey}
            title={filtering.isFiltered ? 'No matching API keys' : 'No API keys yet'}
          >
            {filtering.isFiltered
              ? 'Change or clear the filters.'
              : 'Create a key for a customer or an admin.'}
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

KeysPage.firstQueries = (session: Session) => [firstPageQuery(keyList(session, readKeyFilters(NO_PARAMS)))];
