import { Card, Skeleton } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { CreateEndpoint } from './create-endpoint.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import { ENDPOINTS_REFRESH_MS } from './use-endpoints.ts';

const LISTED_ENDPOINTS = graphql(`
  query ListedEndpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
          deliveries(first: 1) {
            edges {
              node {
                id
                status
                createdAt
              }
            }
          }
        }
      }
    }
  }
`);

export default function EndpointsPage() {
  const { call, customerId, canWrite } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.endpointList(customerId, 'listed'),
    queryFn: () => call(LISTED_ENDPOINTS),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  const endpoints = data?.webhookEndpoints.edges.map(({ node }) => node);
  return (
    <PageLayout
      title="Webhook endpoints"
      subtitle="URLs that receive signed events as they occur."
      actions={canWrite && <CreateEndpoint />}
    >
      <ErrorAlert error={error} />
      {!endpoints && !error && <Skeleton h={240} aria-label="Loading endpoints" />}
      {endpoints?.length === 0 && (
        <EmptyState icon={IconWebhook} title="No endpoints yet">
          {canWrite
            ? 'Create an endpoint with the URL of your receiver, then send a test event.'
            : 'Creating an endpoint requires a key with write scope.'}
        </EmptyState>
      )}
      {endpoints && endpoints.length > 0 && (
        <Card withBorder p={0}>
          <EndpointTable endpoints={endpoints} />
        </Card>
      )}
    </PageLayout>
  );
}
