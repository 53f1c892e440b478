import { NavLink, ScrollArea, Text } from '@mantine/core';
import {
  IconApi,
  IconBuildingStore,
  IconChartLine,
  IconClock,
  IconClockHour4,
  IconDevices,
  IconFileText,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconLogout,
  IconMessages,
  IconRss,
  IconSend,
  IconShieldLock,
  IconVideo,
  IconWebhook,
} from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { useConnected } from '../api/connection.ts';
import { preloadPage, preloadWhenIdle } from '../lazy-pages.ts';
import { useSession } from '../session/session.tsx';
import { setTimeFormat, useTimeFormat } from '../time-format.ts';

const CUSTOMER_PAGES = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard },
  { to: '/webhooks', label: 'Webhook endpoints', icon: IconWebhook },
  { to: '/deliveries', label: 'Deliveries', icon: IconSend },
  { to: '/event-feeds', label: 'Event feeds', icon: IconRss },
  { to: '/conversations', label: 'Conversations', icon: IconMessages },
  { to: '/meetings', label: 'Meetings', icon: IconVideo },
];

const PRIVACY_PAGE = { to: '/privacy', label: 'Privacy', icon: IconShieldLock };

const PAGES = [
  { to: '/drift', label: 'Drift', icon: IconChartLine },
  { to: '/audit', label: 'Audit log', icon: IconListDetails },
];

const ADMIN_PAGES = [
  { to: '/customers', label: 'Customers', icon: IconBuildingStore },
  { to: '/keys', label: 'API keys', icon: IconKey },
];

const SESSIONS_PAGE = { to: '/my-sessions', label: 'Sessions', icon: IconDevices };

const DOCUMENTS = [
  { href: '/graphql', label: 'GraphiQL', icon: IconApi },
  { href: '/api/v1/docs', label: 'REST v1', icon: IconFileText },
  { href: '/v1/docs', label: 'REST preview', icon: IconFileText },
  { href: '/api/docs', label: 'Drift procedures', icon: IconFileText },
];

/** Main menu; omits the pages that the key has no access to, and without a customer those that need one. */
export function Navigation() {
  const { isAdmin, isLimited, customerId, signOut } = useSession();
  const hasCustomer = customerId !== null;
  const pages = useMemo(
    () => [
      ...(hasCustomer ? CUSTOMER_PAGES : []),
      ...(hasCustomer && !isLimited ? [PRIVACY_PAGE] : []),
      ...PAGES,
      ...(isAdmin ? ADMIN_PAGES : []),
    ],
    [hasCustomer, isAdmin, isLimited],
  );
  useEffect(() => preloadWhenIdle([...pages, SESSIONS_PAGE].map(({ to }) => to)), [pages]);
  return (
    <ScrollArea component="nav" aria-label="Pages">
      {pages.map((page) => (
        <PageLink key={page.to} {...page} />
      ))}
      <Text size="xs" c="dimmed" mt="lg" mb={4} px="sm">
        Documentation
      </Text>
      {DOCUMENTS.map(({ href, label, icon: Icon }) => (
        <NavLink key={href} href={href} label={label} leftSection={<Icon size={18} aria-hidden />} />
      ))}
      <TimeSwitches />
      <PageLink {...SESSIONS_PAGE} />
      <NavLink
        component="button"
        label="Sign out everywhere"
        description="Ends all sessions of this API key"
        leftSection={<IconLogout size={18} aria-hidden />}
        onClick={() => signOut({ everywhere: true })}
      />
    </ScrollArea>
  );
}

interface PageLinkProps {
  to: string;
  label: string;
  icon: typeof IconDevices;
}

function PageLink({ to, label, icon: Icon }: PageLinkProps) {
  const [location] = useLocation();
  const connected = useConnected();
  const isCurrent = to === '/' ? location === '/' : location.startsWith(to);
  const preload = (): void => {
    if (connected) preloadPage(to);
  };
  return (
    <NavLink
      component={Link}
      href={to}
      label={label}
      leftSection={<Icon size={18} aria-hidden />}
      onPointerEnter={preload}
      onFocus={preload}
      active={isCurrent}
      aria-current={isCurrent ? 'page' : undefined}
    />
  );
}

/** Switches all times of the console: to exact values, and to UTC where that differs from the local time. */
function TimeSwitches() {
  const { zone, zoneName, isLocalUtc, isExact } = useTimeFormat();
  const isUtc = zone === 'utc';
  return (
    <>
      <NavLink
        component="button"
        mt="lg"
        role="switch"
        aria-checked={isExact}
        aria-label="Exact times"
        label="Exact times"
        description={isExact ? 'on: seconds and zone' : 'off'}
        leftSection={<IconClockHour4 size={18} aria-hidden />}
        onClick={() => setTimeFormat({ isExact: !isExact })}
      />
      {!isLocalUtc && (
        <NavLink
          component="button"
          role="switch"
          aria-checked={isUtc}
          aria-label="Times in UTC"
          label="Times in UTC"
          description={isUtc ? 'on' : `off: ${zoneName}`}
          leftSection={<IconClock size={18} aria-hidden />}
          onClick={() => setTimeFormat({ zone: isUtc ? 'local' : 'utc' })}
        />
      )}
    </>
  );
}
