import { Badge, Select } from '@mantine/core';
import { MAX_TENANT_OPTIONS, useTenantOptions } from '../api/use-tenant-options.ts';
import { useSession } from '../session.tsx';

/** The customer whose data the console shows; selectable with an admin key. */
export function TenantSelect() {
  const { customerId, isAdmin } = useSession();
  if (isAdmin) return <AdminTenantSelect />;
  return (
    <Badge variant="light" size="lg" tt="none">
      Customer {customerId}
    </Badge>
  );
}

function AdminTenantSelect() {
  const { customerId, actFor } = useSession();
  const options = [...useTenantOptions()];
  // A customer selected on the Customers page may be older than the ones listed here.
  if (customerId !== null && !options.some(({ value }) => value === String(customerId)))
    options.unshift({ value: String(customerId), label: `Customer ${customerId}` });
  return (
    <Select
      aria-label="Active customer"
      placeholder="Select a customer"
      searchable
      w={{ base: 170, sm: 240 }}
      data={options}
      value={customerId === null ? null : String(customerId)}
      onChange={(value) => value && actFor(Number(value))}
      nothingFoundMessage={`Not among the newest ${MAX_TENANT_OPTIONS}. See Customers.`}
    />
  );
}
