import { Center, Loader } from '@mantine/core';
import { IconBuildingStore, IconMapOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState } from './components/empty-state.tsx';
import { PageLayout } from './components/page-layout.tsx';
import { lazyComponent } from './lazy-component.ts';
import { MENU_PAGES } from './menu-pages.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { useSession } from './session/session.tsx';
import { UnknownCustomer, useCustomerCheck } from './session/unknown-customer.tsx';

// Loaded on the first visit, to keep the first view small.
const EndpointsPage = lazyComponent(MENU_PAGES['/webhooks']);
const EndpointPage = lazyComponent(() => import('./pages/webhooks/endpoints/endpoint-page.tsx'));
const DeliveriesPage = lazyComponent(MENU_PAGES['/deliveries']);
const DeliveryPage = lazyComponent(() => import('./pages/webhooks/deliveries/delivery-page.tsx'));
const EventFeedsPage = lazyComponent(MENU_PAGES['/event-feeds']);
const ConversationsPage = lazyComponent(MENU_PAGES['/conversations']);
const ConversationPage = lazyComponent(() => import('./pages/conversations/conversation-page.tsx'));
const DriftPage = lazyComponent(MENU_PAGES['/drift']);
const MeetingsPage = lazyComponent(MENU_PAGES['/meetings']);
const MeetingPage = lazyComponent(() => import('./pages/meetings/detail/meeting-page.tsx'));
const SyncRunPage = lazyComponent(() => import('./pages/meetings/sync/sync-run-page.tsx'));
const RecorderSettingsPage = lazyComponent(
  () => import('./pages/meetings/connection/recorder-settings-page.tsx'),
);
const PrivacyPage = lazyComponent(MENU_PAGES['/privacy']);
const SessionsPage = lazyComponent(MENU_PAGES['/my-sessions']);
const AuditPage = lazyComponent(MENU_PAGES['/audit']);
const CustomersPage = lazyComponent(MENU_PAGES['/customers']);
const KeysPage = lazyComponent(MENU_PAGES['/keys']);

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
        <Route path="/my-sessions" component={SessionsPage} />
        {customerId === null && (
          <Route path="/">
            <Redirect to="/customers" replace />
          </Route>
        )}
        {customerId === null && <Route component={CustomerRequired} />}
        <Route path="/" component={OverviewPage} />
        <Route path="/webhooks" component={EndpointsPage} />
        <Route path="/webhooks/:id">{({ id }) => <EndpointPage id={Number(id)} />}</Route>
        <Route path="/deliveries" component={DeliveriesPage} />
        <Route path="/deliveries/:id">{({ id }) => <DeliveryPage id={id} />}</Route>
        <Route path="/event-feeds" component={EventFeedsPage} />
        <Route path="/conversations" component={ConversationsPage} />
        <Route path="/conversations/:id">{({ id }) => <ConversationPage id={id} />}</Route>
        <Route path="/privacy" component={PrivacyPage} />
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
