import { Button, Card, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBuildingStore, IconPlus } from '@tabler/icons-react';
import { usePaged } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-alert.tsx';
import { Page } from '../../components/page.tsx';
import { Time } from '../../components/relative-time.tsx';
import { ScrollTable } from '../../components/scroll-table.tsx';
import { MoreButton } from '../../components/show-more.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';
import { TenantDialog } from './create-tenant-dialog.tsx';

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

/** The customers of the service. */
export default function TenantsPage() {
  const { call, customerId, actFor } = useSession();
  const [creating, { open, close }] = useDisclosure(false);
  const list = usePaged(['tenants'], async (after) => (await call(TENANTS, { after })).tenants);
  return (
    <Page
      title="Customers"
      subtitle="Everything that is stored belongs to exactly one of them."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          New customer
        </Button>
      }
    >
      {creating && <TenantDialog close={close} />}
      <ErrorNote error={list.error} />
      {list.loading && <Skeleton h={240} aria-label="Loading customers" />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <EmptyState icon={IconBuildingStore} title="No customers yet">
          Make the first one; then give it an API key under API keys.
        </EmptyState>
      )}
      {list.rows.length > 0 && (
        <Stack>
          <Card withBorder p={0}>
            <ScrollTable
              label="Customers"
              minWidth={640}
              head={['Name', 'Customer', 'Organisation', 'Created', 'Act for']}
            >
              {list.rows.map((tenant) => (
                <Table.Tr key={tenant.customerId}>
                  <Table.Td className="breakable" fw={550}>
                    {tenant.name}
                  </Table.Td>
                  <Table.Td className="mono">{tenant.customerId}</Table.Td>
                  <Table.Td className="mono breakable">{tenant.orgId}</Table.Td>
                  <Table.Td>
                    <Time at={tenant.createdAt} />
                  </Table.Td>
                  <Table.Td>
                    {tenant.customerId === customerId ? (
                      <Text size="sm" c="dimmed">
                        you do now
                      </Text>
                    ) : (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Act for ${tenant.name}`}
                        onClick={() => actFor(tenant.customerId)}
                      >
                        Act for
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </ScrollTable>
          </Card>
          <MoreButton {...list} />
        </Stack>
      )}
    </Page>
  );
}
