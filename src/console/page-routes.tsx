import { Center, Loader } from '@mantine/core';
import { IconBuildingStore, IconMapOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { EmptyState } from './components/empty-state.tsx';
import { PageLayout } from './components/page-layout.tsx';
import { LAZY_PAGES } from './lazy-pages.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { useSession } from './session/session.tsx';
import { UnknownCustomer, useCustomerCheck } from './session/unknown-customer.tsx';

const EndpointPage = LAZY_PAGES['/webhooks/:id'];
const DeliveryPage = LAZY_PAGES['/deliveries/:id'];
const ConversationPage = LAZY_PAGES['/conversations/:id'];
const SyncRunPage = LAZY_PAGES['/meetings/syncs/:id'];
const MeetingPage = LAZY_PAGES['/meetings/:id'];

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
        <Route path="/drift" component={LAZY_PAGES['/drift']} />
        {isAdmin && <Route path="/customers" component={LAZY_PAGES['/customers']} />}
        {isAdmin && <Route path="/keys" component={LAZY_PAGES['/keys']} />}
        <Route path="/audit" component={LAZY_PAGES['/audit']} />
        <Route path="/my-sessions" component={LAZY_PAGES['/my-sessions']} />
        {customerId === null && (
          <Route path="/">
            <Redirect to="/customers" replace />
          </Route>
        )}
        {customerId === null && <Route component={CustomerRequired} />}
        <Route path="/" component={OverviewPage} />
        <Route path="/webhooks" component={LAZY_PAGES['/webhooks']} />
        <Route path="/webhooks/:id">{({ id }) => <EndpointPage id={Number(id)} />}</Route>
        <Route path="/deliveries" component={LAZY_PAGES['/deliveries']} />
        <Route path="/deliveries/:id">{({ id }) => <DeliveryPage id={id} />}</Route>
        <Route path="/event-feeds" component={LAZY_PAGES['/event-feeds']} />
        <Route path="/conversations" component={LAZY_PAGES['/conversations']} />
        <Route path="/conversations/:id">{({ id }) => <ConversationPage id={id} />}</Route>
        <Route path="/privacy" component={LAZY_PAGES['/privacy']} />
        <Route path="/meetings" component={LAZY_PAGES['/meetings']} />
        <Route path="/meetings/settings" component={LAZY_PAGES['/meetings/settings']} />
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
