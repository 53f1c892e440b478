import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { PageLayout } from '../../../components/page-layout.tsx';
import { DeliveryList } from './delivery-list.tsx';

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
