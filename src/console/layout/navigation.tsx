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
  IconMessages,
  IconRss,
  IconSend,
  IconShieldLock,
  IconVideo,
  IconWebhook,
} from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { KeyResource } from '../../shared/key-limits.ts';
import { useConnected } from '../api/connection.ts';
import { preloadPage, preloadWhenIdle } from '../lazy-pages.ts';
import { useSession } from '../session/session.tsx';
import { setTimeFormat, useTimeFormat } from '../time-format.ts';
import { useLinkIntent } from './use-link-intent.ts';

interface Page {
  to: string;
  label: string;
  icon: typeof IconDevices;
  /** What the key needs access to; `account`: to the customer as a whole. */
  resource?: KeyResource | 'account';
}

const CUSTOMER_PAGES: readonly Page[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard },
  { to: '/webhooks', label: 'Webhook endpoints', icon: IconWebhook, resource: 'webhooks' },
  { to: '/deliveries', label: 'Deliveries', icon: IconSend, resource: 'webhooks' },
  { to: '/event-feeds', label: 'Event feeds', icon: IconRss, resource: 'events' },
  { to: '/conversations', label: 'Conversations', icon: IconMessages, resource: 'conversations' },
  { to: '/meetings', label: 'Meetings', icon: IconVideo, resource: 'meetings' },
  { to: '/privacy', label: 'Privacy', icon: IconShieldLock, resource: 'account' },
];

const PAGES: readonly Page[] = [
  { to: '/drift', label: 'Drift', icon: IconChartLine, resource: 'drift' },
  { to: '/audit', label: 'Audit log', icon: IconListDetails, resource: 'account' },
];

const ADMIN_PAGES: readonly Page[] = [
  { to: '/customers', label: 'Customers', icon: IconBuildingStore },
  { to: '/keys', label: 'API keys', icon: IconKey },
];

const SESSIONS_PAGE: Page = { to: '/my-sessions', label: 'Sessions', icon: IconDevices };

const DOCUMENTS = [
  { href: '/graphql', label: 'GraphiQL', icon: IconApi },
  { href: '/api/v1/docs', label: 'REST v1', icon: IconFileText },
  { href: '/v1/docs', label: 'REST preview', icon: IconFileText },
  { href: '/api/docs', label: 'Drift procedures', icon: IconFileText },
];

/** Main menu; omits the pages that the key has no access to, and without a customer those that need one. */
export function Navigation() {
  const { isAdmin, isLimited, canRead, customerId } = useSession();
  const hasCustomer = customerId !== null;
  const pages = useMemo(
    () =>
      [...(hasCustomer ? CUSTOMER_PAGES : []), ...PAGES, ...(isAdmin ? ADMIN_PAGES : [])].filter(
        ({ resource }) => !resource || (resource === 'account' ? !isLimited : canRead(resource)),
      ),
    [hasCustomer, isAdmin, isLimited, canRead],
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
    </ScrollArea>
  );
}

function PageLink({ to, label, icon: Icon }: Page) {
  const session = useSession();
  const [location] = useLocation();
  const connected = useConnected();
  const isCurrent = to === '/' ? location === '/' : location.startsWith(to);
  const intent = useLinkIntent(() => {
    if (connected && location !== to) preloadPage(to, session);
  });
  return (
    <NavLink
      component={Link}
      href={to}
      label={label}
      leftSection={<Icon size={18} aria-hidden />}
      {...intent}
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
