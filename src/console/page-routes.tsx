import { Center, Loader } from '@mantine/core';
import { IconBuildingStore, IconMapOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { EmptyState } from './components/empty-state.tsx';
import { PageLayout } from './components/page-layout.tsx';
import { lazyComponent } from './lazy-component.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { useSession } from './session/session.tsx';
import { UnknownCustomer, useCustomerCheck } from './session/unknown-customer.tsx';

// Loaded on the first visit, to keep the first view small.
const EndpointsPage = lazyComponent(() => import('./pages/webhooks/endpoints/endpoints-page.tsx'));
const EndpointPage = lazyComponent(() => import('./pages/webhooks/endpoints/endpoint-page.tsx'));
const DeliveriesPage = lazyComponent(() => import('./pages/webhooks/deliveries/deliveries-page.tsx'));
const DeliveryPage = lazyComponent(() => import('./pages/webhooks/deliveries/delivery-page.tsx'));
const ConversationsPage = lazyComponent(() => import('./pages/conversations/conversations-page.tsx'));
const ConversationPage = lazyComponent(() => import('./pages/conversations/conversation-page.tsx'));
const DriftPage = lazyComponent(() => import('./pages/drift/drift-page.tsx'));
const MeetingsPage = lazyComponent(() => import('./pages/meetings/list/meetings-page.tsx'));
const MeetingPage = lazyComponent(() => import('./pages/meetings/detail/meeting-page.tsx'));
const SyncRunPage = lazyComponent(() => import('./pages/meetings/sync/sync-run-page.tsx'));
const RecorderSettingsPage = lazyComponent(
  () => import('./pages/meetings/connection/recorder-settings-page.tsx'),
);
const AuditPage = lazyComponent(() => import('./pages/audit/audit-page.tsx'));
const CustomersPage = lazyComponent(() => import('./pages/customers/customers-page.tsx'));
const KeysPage = lazyComponent(() => import('./pages/customers/keys-page.tsx'));

const Loading = () => (
  <Center py={80}>
    <Loader aria-label="Loading" />
  </Center>
);

/** An admin key belongs to no customer, and most pages need one. */
function CustomerRequired() {
  return (
    <PageLayout title="No customer selected">
      <EmptyState icon={IconBuildingStore} title="Select a customer">
        An admin key can act for any customer. Select one in the header, or create one under Customers.
      </EmptyState>
    </PageLayout>
  );
}

export function PageRoutes() {
  const { isAdmin, customerId } = useSession();
  const customer = useCustomerCheck();
  if (customer === 'unknown') return <UnknownCustomer />;
  if (customer === 'loading') return <Loading />;
  // Another customer starts with a page without state.
  return (
    <Suspense key={customerId} fallback={<Loading />}>
      <Switch>
        <Route path="/drift" component={DriftPage} />
        {isAdmin && <Route path="/customers" component={CustomersPage} />}
        {isAdmin && <Route path="/keys" component={KeysPage} />}
        <Route path="/audit" component={AuditPage} />
        {customerId === null && <Route component={CustomerRequired} />}
        <Route path="/" component={OverviewPage} />
        <Route path="/webhooks" component={EndpointsPage} />
        <Route path="/webhooks/:id">{({ id }) => <EndpointPage id={Number(id)} />}</Route>
        <Route path="/deliveries" component={DeliveriesPage} />
        <Route path="/deliveries/:id">{({ id }) => <DeliveryPage id={id} />}</Route>
        <Route path="/conversations" component={ConversationsPage} />
        <Route path="/conversations/:id">{({ id }) => <ConversationPage id={id} />}</Route>
        <Route path="/meetings" component={MeetingsPage} />
        <Route path="/meetings/settings" component={RecorderSettingsPage} />
        <Route path="/meetings/syncs/:id">{({ id }) => <SyncRunPage id={id} />}</Route>
        <Route path="/meetings/:id">{({ id }) => <MeetingPage id={decodeURIComponent(id)} />}</Route>
        <Route>
          <PageLayout title="Page not found">
            <EmptyState icon={IconMapOff} title="There is no page at this address">
              Select a page from the menu.
            </EmptyState>
          </PageLayout>
        </Route>
      </Switch>
    </Suspense>
  );
}
