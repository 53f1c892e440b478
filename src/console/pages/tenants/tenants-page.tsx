import { Button, Card, Skeleton, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBuildingStore, IconPlus } from '@tabler/icons-react';
import { queryKeys } from '../../api/query-keys.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { LongText } from '../../components/long-text.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';

const TENANTS = graphql(`
  query Tenants($after: String) {
    tenants(first: 50, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          customerId
          orgId
          name
          createdAt
        }
      }
    }
  }
`);

export default function TenantsPage() {
  const { call, customerId, actFor } = useSession();
  const [creating, { open, close }] = useDisclosure(false);
  const list = usePagedList(queryKeys.tenants, async (after) => (await call(TENANTS, { after })).tenants);
  return (
    <PageLayout
      title="Customers"
      subtitle="Each customer has its own endpoints, conversations, meetings and API keys."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          Create customer
        </Button>
      }
    >
      {creating && <CreateTenantDialog close={close} />}
      <PagedRows label="customers" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={240} aria-label="Loading customers" />}
        {!list.loading && !list.error && list.rows.length === 0 && (
          <EmptyState icon={IconBuildingStore} title="No customers yet">
            Create a customer, then create an API key for it under API keys.
          </EmptyState>
        )}
        {list.rows.length > 0 && (
          <Card withBorder p={0}>
            <DataTable
              label="Customers"
              minWidthPx={640}
              head={['Name', 'Customer ID', 'Organization ID', 'Created', 'Switch']}
            >
              {list.rows.map((tenant) => (
                <Table.Tr key={tenant.customerId}>
                  <Table.Td>
                    <LongText fw={550}>{tenant.name}</LongText>
                  </Table.Td>
                  <Table.Td className="mono">{tenant.customerId}</Table.Td>
                  <Table.Td>
                    <LongText className="mono breakable">{tenant.orgId}</LongText>
                  </Table.Td>
                  <Table.Td>
                    <RelativeTime at={tenant.createdAt} />
                  </Table.Td>
                  <Table.Td>
                    {tenant.customerId === customerId ? (
                      <Text size="sm" c="dimmed">
                        active
                      </Text>
                    ) : (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Switch to ${tenant.name}`}
                        onClick={() => actFor(tenant.customerId)}
                      >
                        Switch
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          </Card>
        )}
      </PagedRows>
    </PageLayout>
  );
}
