import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { firstPageQuery } from '../../../api/use-paged-list.ts';
import { PageLayout } from '../../../components/page-layout.tsx';
import { NO_PARAMS } from '../../../search-params.ts';
import type { Session } from '../../../session/session.tsx';
import { endpointsQuery } from '../endpoints/use-endpoints.ts';
import { readDeliveryFilter } from './delivery-filters.tsx';
import { DeliveryList, deliveryList } from './delivery-list.tsx';

export default function DeliveriesPage() {
  return (
    <PageLayout title="Deliveries" subtitle="Webhook deliveries to all endpoints, newest first.">
      <DeliveryList
        endpointId={null}
        whenEmpty={
          <>
            Create an{' '}
            <Anchor component={Link} href="/webhooks" inherit underline="always">
              endpoint
            </Anchor>{' '}
            and send it a test event.
          </>
        }
      />
    </PageLayout>
  );
}

DeliveriesPage.firstQueries = (session: Session) => [
  firstPageQuery(deliveryList(session, readDeliveryFilter(NO_PARAMS))),
  endpointsQuery(session),
];
