import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Select,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useConnected } from '../api/connection.ts';
import { MAX_CUSTOMER_OPTIONS, useCustomerOptions } from '../api/use-customer-options.ts';
import { useSession } from '../session/session.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineBanner } from './offline-banner.tsx';

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
            <Tooltip label={dark ? 'Light mode' : 'Dark mode'}>
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={dark ? 'Switch to light mode' : 'Switch to dark mode'}
                onClick={() => setColorScheme(dark ? 'light' : 'dark')}
              >
                {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Sign out">
              <ActionIcon variant="default" size="lg" aria-label="Sign out" onClick={() => signOut()}>
                <IconLogout size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
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

/** The customer whose data the console shows; selectable with an admin key. */
function CustomerSelect() {
  const { customerId, isAdmin } = useSession();
  if (isAdmin) return <AdminCustomerSelect />;
  return (
    <Badge variant="light" size="lg" tt="none">
      Customer {customerId}
    </Badge>
  );
}

function AdminCustomerSelect() {
  const { customerId, actFor } = useSession();
  const options = [...useCustomerOptions()];
  // A customer selected on the Customers page may be older than the ones listed here.
  if (customerId !== null && !options.some(({ value }) => value === String(customerId)))
    options.unshift({ value: String(customerId), label: `Customer ${customerId}` });
  return (
    <Select
      aria-label="Active customer"
      placeholder="Select a customer"
      searchable
      w={{ base: 170, sm: 240 }}
      data={options}
      value={customerId === null ? null : String(customerId)}
      onChange={(value) => value && actFor(Number(value))}
      nothingFoundMessage={`Not among the newest ${MAX_CUSTOMER_OPTIONS}. See Customers.`}
    />
  );
}
