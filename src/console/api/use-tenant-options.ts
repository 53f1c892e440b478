import { useQuery } from '@tanstack/react-query';
import { graphql } from '../generated/gql.ts';
import { useSession } from '../session/session.tsx';
import { queryKeys } from './query-keys.ts';

/** The maximum page size of the API. */
export const MAX_TENANT_OPTIONS = 100;

const TENANT_OPTIONS = graphql(`
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

interface TenantOption {
  value: string;
  label: string;
}

/** The newest tenants as options of a select input. Requires an admin key. */
export function useTenantOptions(): readonly TenantOption[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.tenantOptions,
    queryFn: () => call(TENANT_OPTIONS, { first: MAX_TENANT_OPTIONS }),
  });
  return (data?.tenants.edges ?? []).map(({ node: { customerId, name } }) => ({
    value: String(customerId),
    label: `${name} (${customerId})`,
  }));
}
