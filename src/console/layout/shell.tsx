import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../session.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { TenantSwitch } from './tenant-select.tsx';

/** The frame of the console: who one acts for at the top, where to go at the side. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const { signOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';

  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the menu of a phone
  useEffect(close, [location]);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
    >
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <Text fw={650} visibleFrom="xs">
              Engagement
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <TenantSwitch />
            <Tooltip label={dark ? 'Light' : 'Dark'}>
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={dark ? 'Switch to light colours' : 'Switch to dark colours'}
                onClick={() => setColorScheme(dark ? 'light' : 'dark')}
              >
                {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Sign out">
              <ActionIcon variant="default" size="lg" aria-label="Sign out" onClick={signOut}>
                <IconLogout size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main>
        <ErrorBoundary key={location}>{children}</ErrorBoundary>
      </AppShell.Main>
    </AppShell>
  );
}
