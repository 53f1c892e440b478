import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Skeleton,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useConnected } from '../api/connection.ts';
import { queryKeys } from '../api/query-keys.ts';
import { graphql } from '../generated/gql.ts';
import { lazyComponent } from '../lazy-component.ts';
import { useSession } from '../session/session.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineBanner } from './offline-banner.tsx';

// Other keys need none of its inputs.
const AdminCustomerSelect = lazyComponent(() => import('./admin-customer-select.tsx'));

const CONTENT_ID = 'content';

/** Layout of the console: header with the active customer, navigation at the side. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const { customerId, signOut } = useSession();
  const connected = useConnected();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';

  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu on a phone
  useEffect(close, [location]);

  const menuButton = useRef<HTMLButtonElement>(null);
  useWindowEvent('keydown', ({ key }) => {
    if (key !== 'Escape' || !opened) return;
    close();
    menuButton.current?.focus();
  });

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
    >
      <a
        href={`#${CONTENT_ID}`}
        className="skip-link"
        onClick={(event) => {
          // The address keeps its fragment, which can name a part of the page.
          event.preventDefault();
          document.getElementById(CONTENT_ID)?.focus();
        }}
      >
        Skip to content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={menuButton}
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={opened}
            />
            <Text fw={650} visibleFrom="xs">
              Engagement
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <CustomerSelect />
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={dark ? 'Switch to light mode' : 'Switch to dark mode'}
              title={dark ? 'Light mode' : 'Dark mode'}
              onClick={() => setColorScheme(dark ? 'light' : 'dark')}
            >
              {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
            </ActionIcon>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label="Sign out"
              title="Sign out"
              onClick={() => signOut()}
            >
              <IconLogout size={18} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={opened ? undefined : 'closed-menu'}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT_ID} tabIndex={-1}>
        <OfflineBanner />
        <div className={connected ? undefined : 'stale'}>
          <ErrorBoundary key={`${customerId}${location}`}>{children}</ErrorBoundary>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** The customer whose data the console shows, and whether the key can change it; an admin key can select another. */
function CustomerSelect() {
  const { isAdmin, canWrite } = useSession();
  if (isAdmin)
    return (
      <Suspense fallback={<Skeleton h={36} w={{ base: 190, sm: 240 }} />}>
        <AdminCustomerSelect />
      </Suspense>
    );
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <CustomerName />
      {!canWrite && (
        <Badge variant="outline" color="gray" size="lg" tt="none" miw="max-content">
          Read-only
        </Badge>
      )}
    </Group>
  );
}

const CUSTOMER_NAME = graphql(`
  query CustomerName {
    viewer {
      tenant {
        name
      }
    }
  }
`);

/** Name of the customer that the key belongs to. */
function CustomerName() {
  const { call, customerId } = useSession();
  const { data: name } = useQuery({
    queryKey: queryKeys.customerName(customerId),
    queryFn: async () => (await call(CUSTOMER_NAME)).viewer.tenant?.name ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Badge variant="light" size="lg" tt="none" miw={0} title={name ?? undefined}>
      {name ? `${name} (${customerId})` : `Customer ${customerId}`}
    </Badge>
  );
}
