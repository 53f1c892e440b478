import { Button, Card, Skeleton, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBuildingStore, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { firstPageQuery, type ListQuery, usePagedList } from '../../api/use-paged-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { LongText } from '../../components/long-text.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type { TenantsQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { CreateCustomerDialog } from './create-customer-dialog.tsx';
import { CustomerHealth } from './customer-health.tsx';
import { DeleteCustomerDialog, type DeletedCustomer } from './delete-customer-dialog.tsx';
import { Suspension } from './suspension.tsx';

const CUSTOMERS = graphql(`
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
          suspendedAt
          deletionStartedAt
        }
      }
    }
  }
`);

type Customer = TenantsQuery['tenants']['edges'][number]['node'];

const stateOf = ({ suspendedAt, deletionStartedAt }: Customer): string =>
  deletionStartedAt ? 'being_deleted' : suspendedAt ? 'suspended' : 'enabled';

const customerList = ({ callFor }: Session): ListQuery<Customer> => ({
  key: queryKeys.customers,
  loadPage: async (after) => (await callFor(null)(CUSTOMERS, { after })).tenants,
});

export default function CustomersPage() {
  const session = useSession();
  const { customerId, actFor } = session;
  const [creating, { open, close }] = useDisclosure(false);
  const [deleted, setDeleted] = useState<DeletedCustomer | null>(null);
  const list = usePagedList(customerList(session));
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
      {creating && <CreateCustomerDialog close={close} />}
      {deleted && <DeleteCustomerDialog customer={deleted} close={() => setDeleted(null)} />}
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
              minWidthPx={960}
              head={[
                'Name',
                'Health',
                'Customer ID',
                'Organization ID',
                'State',
                'Created',
                'Switch',
                'Suspend',
                'Delete',
              ]}
            >
              {list.rows.map((customer) => (
                <Table.Tr key={customer.customerId}>
                  <Table.Td>
                    <LongText fw={550}>{customer.name}</LongText>
                  </Table.Td>
                  <Table.Td>
                    <CustomerHealth {...customer} />
                  </Table.Td>
                  <Table.Td className="mono">{customer.customerId}</Table.Td>
                  <Table.Td>
                    <LongText className="mono breakable">{customer.orgId}</LongText>
                  </Table.Td>
                  <Table.Td>
                    <StatusBadge status={stateOf(customer)} />
                  </Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <RelativeTime at={customer.createdAt} />
                  </Table.Td>
                  <Table.Td>
                    {customer.customerId === customerId ? (
                      <Text size="sm" c="dimmed">
                        active
                      </Text>
                    ) : (
                      !customer.deletionStartedAt && (
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`Switch to ${customer.name}`}
                          onClick={() => actFor(customer.customerId)}
                        >
                          Switch
                        </Button>
                      )
                    )}
                  </Table.Td>
                  <Table.Td>{!customer.deletionStartedAt && <Suspension customer={customer} />}</Table.Td>
                  <Table.Td>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`${customer.deletionStartedAt ? 'Show deletion' : 'Delete'}: ${customer.name}`}
                      onClick={() => setDeleted(customer)}
                    >
                      {customer.deletionStartedAt ? 'Show deletion' : 'Delete'}
                    </Button>
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

CustomersPage.firstQueries = (session: Session) => [firstPageQuery(customerList(session))];
