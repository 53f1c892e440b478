import { useQuery } from '@tanstack/react-query';
import { graphql } from '../generated/gql.ts';
import { useSession } from '../session/session.tsx';
import { queryKeys } from './query-keys.ts';

/** The maximum page size of the API. */
export const MAX_CUSTOMER_OPTIONS = 100;

const CUSTOMER_OPTIONS = graphql(`
  query TenantOptions($first: Int!) {
    tenants(first: $first) {
      edges {
        node {
          customerId
          name
        }
      }
    }
  }
`);

interface CustomerOption {
  value: string;
  label: string;
}

/** The newest customers as options of a select input. Requires an admin key. */
export function useCustomerOptions(): readonly CustomerOption[] {
  const { callFor } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.customerOptions,
    queryFn: () => callFor(null)(CUSTOMER_OPTIONS, { first: MAX_CUSTOMER_OPTIONS }),
  });
  return (data?.tenants.edges ?? []).map(({ node: { customerId, name } }) => ({
    value: String(customerId),
    label: `${name} (${customerId})`,
  }));
}
