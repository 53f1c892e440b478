import { Badge, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { graphql } from '../generated/gql.ts';
import { useSession } from '../session.tsx';

const TENANTS = graphql(`
  query TenantsToActFor {
    tenants(first: 100) {
      edges {
        node {
          customerId
          name
        }
      }
    }
  }
`);

/** Whose data is shown; an admin chooses. */
export function TenantSwitch() {
  const { customerId, isAdmin } = useSession();
  if (isAdmin) return <AdminSwitch />;
  return (
    <Badge variant="light" size="lg" tt="none">
      Customer {customerId}
    </Badge>
  );
}

function AdminSwitch() {
  const { customerId, actFor, call } = useSession();
  const { data } = useQuery({ queryKey: ['tenants-to-act-for'], queryFn: () => call(TENANTS) });
  const options = (data?.tenants.edges ?? []).map(({ node }) => ({
    value: String(node.customerId),
    label: `${node.name} (${node.customerId})`,
  }));
  // One that was chosen from the whole list, under Customers.
  if (customerId !== null && !options.some(({ value }) => value === String(customerId)))
    options.unshift({ value: String(customerId), label: `Customer ${customerId}` });
  return (
    <Select
      aria-label="Customer to act for"
      placeholder="Choose a customer"
      searchable
      w={{ base: 170, sm: 240 }}
      data={options}
      value={customerId === null ? null : String(customerId)}
      onChange={(value) => value && actFor(Number(value))}
      nothingFoundMessage="Not among the newest 100: see Customers"
    />
  );
}
