import { Card, Skeleton } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Page } from '../../../components/page.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { CreateEndpoint } from './create-endpoint.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import { REFRESH_MS } from './use-endpoints.ts';

const LISTED = graphql(`
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

/** Where the customer is told what happens. */
export default function WebhooksPage() {
  const { call, customerId, canWrite } = useSession();
  const { data, error } = useQuery({
    queryKey: ['endpoints', customerId, 'listed'],
    queryFn: () => call(LISTED),
    refetchInterval: REFRESH_MS,
  });
  const endpoints = data?.webhookEndpoints.edges.map(({ node }) => node);
  return (
    <Page
      title="Webhook endpoints"
      subtitle="Where events are sent, signed, as they happen."
      actions={canWrite && <CreateEndpoint />}
    >
      <ErrorNote error={error} />
      {!endpoints && !error && <Skeleton h={240} aria-label="Loading endpoints" />}
      {endpoints?.length === 0 && (
        <EmptyState icon={IconWebhook} title="No endpoints yet">
          {canWrite
            ? 'Create one with the address of your receiver, then send it a test event.'
            : 'Nobody has created one. It takes a key that may write.'}
        </EmptyState>
      )}
      {endpoints && endpoints.length > 0 && (
        <Card withBorder p={0}>
          <EndpointTable endpoints={endpoints} />
        </Card>
      )}
    </Page>
  );
}
