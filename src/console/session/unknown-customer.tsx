import { Anchor } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { hasErrorCode } from '../api/graphql-client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { PageLayout } from '../components/page-layout.tsx';
import { graphql } from '../generated/gql.ts';
import { useSession } from './session.tsx';

const CUSTOMER_CHECK = graphql(`
  query CustomerCheck {
    viewer {
      scope
    }
  }
`);

/** Checks that the customer in the address exists and that the session has access to it. */
export function useCustomerCheck(): 'known' | 'unknown' | 'loading' {
  const { call, customerId, isUnverifiedCustomer } = useSession();
  const { error, isLoading } = useQuery({
    queryKey: queryKeys.customerCheck(customerId),
    queryFn: () => call(CUSTOMER_CHECK),
    enabled: isUnverifiedCustomer,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (hasErrorCode(error, 'NOT_FOUND')) return 'unknown';
  return isLoading ? 'loading' : 'known';
}

/** Shown if the address names a customer that the session has no access to. */
export function UnknownCustomer() {
  const { customerId, isAdmin } = useSession();
  return (
    <PageLayout title="Customer not found">
      <EmptyState icon={IconBuildingStore} title={`There is no customer ${customerId} for this session`}>
        {isAdmin ? 'No customer has the ID in the address. ' : 'The API key belongs to another customer. '}
        <Anchor
          component={Link}
          href={isAdmin ? '~/console/customers' : '~/console'}
          inherit
          underline="always"
        >
          {isAdmin ? 'Show all customers' : 'Show your customer'}
        </Anchor>
      </EmptyState>
    </PageLayout>
  );
}
