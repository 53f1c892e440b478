import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Page } from '../../../components/page.tsx';
import { DeliveryList } from './delivery-list.tsx';

/** What was sent to all endpoints, and what became of it. */
export default function DeliveriesPage() {
  return (
    <Page title="Deliveries" subtitle="Every event on its way to an endpoint, newest first.">
      <DeliveryList
        endpointId={null}
        whenEmpty={
          <>
            Events are delivered to{' '}
            <Anchor component={Link} href="/webhooks" inherit underline="always">
              endpoints
            </Anchor>
            : create one and send it a test event.
          </>
        }
      />
    </Page>
  );
}
