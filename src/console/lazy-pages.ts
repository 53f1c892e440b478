import { whenConnected } from './api/connection.ts';
import { queryClient } from './api/query-client.ts';
import type { FirstQueries, PageQuery } from './first-queries.ts';
import { lazyComponent } from './lazy-component.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import type { Session } from './session/session.tsx';

/** Pages in files of their own, by their routes, to keep the first view small. The overview is part of that. */
export const LAZY_PAGES = {
  '/webhooks': lazyComponent(() => import('./pages/webhooks/endpoints/endpoints-page.tsx')),
  '/webhooks/:id': lazyComponent(() => import('./pages/webhooks/endpoints/endpoint-page.tsx')),
  '/deliveries': lazyComponent(() => import('./pages/webhooks/deliveries/deliveries-page.tsx')),
  '/deliveries/:id': lazyComponent(() => import('./pages/webhooks/deliveries/delivery-page.tsx')),
  '/event-feeds': lazyComponent(() => import('./pages/webhooks/feeds/event-feeds-page.tsx')),
  '/conversations': lazyComponent(() => import('./pages/conversations/conversations-page.tsx')),
  '/conversations/:id': lazyComponent(() => import('./pages/conversations/conversation-page.tsx')),
  '/meetings': lazyComponent(() => import('./pages/meetings/list/meetings-page.tsx')),
  '/meetings/settings': lazyComponent(() => import('./pages/meetings/connection/recorder-settings-page.tsx')),
  '/meetings/syncs/:id': lazyComponent(() => import('./pages/meetings/sync/sync-run-page.tsx')),
  '/meetings/:id': lazyComponent(() => import('./pages/meetings/detail/meeting-page.tsx')),
  '/privacy': lazyComponent(() => import('./pages/privacy/privacy-page.tsx')),
  '/drift': lazyComponent(() => import('./pages/drift/drift-page.tsx')),
  '/audit': lazyComponent(() => import('./pages/audit/audit-page.tsx')),
  '/customers': lazyComponent(() => import('./pages/customers/customers-page.tsx')),
  '/keys': lazyComponent(() => import('./pages/customers/keys-page.tsx')),
  '/my-sessions': lazyComponent(() => import('./pages/sessions/sessions-page.tsx')),
};

type LazyRoute = keyof typeof LAZY_PAGES;

const ROUTES = Object.keys(LAZY_PAGES) as LazyRoute[];

/** Loads the file of a page of the menu, and returns its first queries. */
async function loadFirstQueries(path: string): Promise<FirstQueries | undefined> {
  const route = ROUTES.find((other) => other === path);
  const page = route ? (await LAZY_PAGES[route].preload()).default : OverviewPage;
  return page.firstQueries;
}

/** True if the user has asked the browser to transfer less. Absent in browsers without the setting. */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** True for a query whose last request failed: links would repeat it each time the pointer rests on them. */
const hasFailed = ({ queryKey }: PageQuery): boolean =>
  queryClient.getQueryState(queryKey)?.status === 'error';

/**
 * Loads the file and the first data of a page of the menu that the user is about to open; the file alone to save data.
 * Sends no query that the session may not send, or whose result in the cache is not stale. A failure is left to the
 * visit, which handles it and sends the query again.
 */
export function preloadPage(path: string, session: Session): void {
  loadFirstQueries(path).then(
    (firstQueries) => {
      if (savesData()) return;
      for (const query of firstQueries?.(session) ?? [])
        if (query.enabled !== false && !hasFailed(query)) void queryClient.prefetchQuery(query);
    },
    () => {},
  );
}

/** Safari does not report when it is idle. */
const whenIdle = (): Promise<unknown> =>
  new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));

/**
 * Loads the files of these pages and of those below them while the browser is idle, so that a visit waits for its data
 * only. One after the other: the requests for the data that is shown have the other connections of the browser.
 *
 * @returns a function that stops it
 */
export function preloadWhenIdle(paths: readonly string[]): () => void {
  const stop = new AbortController();
  const loadAll = async (): Promise<void> => {
    for (const route of ROUTES) {
      if (!paths.some((path) => `${route}/`.startsWith(`${path}/`))) continue;
      await whenIdle();
      await whenConnected();
      if (stop.signal.aborted) return;
      await LAZY_PAGES[route].preload();
    }
  };
  // A failure is left to the visit. The next file would probably fail as well.
  if (!savesData()) loadAll().catch(() => {});
  return () => stop.abort();
}
