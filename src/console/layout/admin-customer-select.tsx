import { Select } from '@mantine/core';
import { useLocation } from 'wouter';
import { MAX_CUSTOMER_OPTIONS, useCustomerOptions } from '../api/use-customer-options.ts';
import { useSession } from '../session/session.tsx';

/** Selects the customer whose data an admin key shows. */
export default function AdminCustomerSelect() {
  const { customerId, actFor } = useSession();
  const [location] = useLocation();
  const options = [...useCustomerOptions()];
  // A customer selected on the Customers page may be older than the ones listed here.
  if (customerId !== null && !options.some(({ value }) => value === String(customerId)))
    options.unshift({ value: String(customerId), label: `Customer ${customerId}` });
  return (
    <Select
      aria-label="Active customer"
      placeholder="Select a customer"
      searchable
      w={{ base: 190, sm: 240 }}
      data={options}
      value={customerId === null ? null : String(customerId)}
      // The list of customers leads to the overview of one; other pages stay the same.
      onChange={(value) => value && actFor(Number(value), location === '/customers' ? '/' : undefined)}
      nothingFoundMessage={`Not among the newest ${MAX_CUSTOMER_OPTIONS}. See Customers.`}
    />
  );
}
