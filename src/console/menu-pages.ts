/** Loads the pages of the menu, by their paths. The overview is part of the first view. */
export const MENU_PAGES = {
  '/webhooks': () => import('./pages/webhooks/endpoints/endpoints-page.tsx'),
  '/deliveries': () => import('./pages/webhooks/deliveries/deliveries-page.tsx'),
  '/event-feeds': () => import('./pages/webhooks/feeds/event-feeds-page.tsx'),
  '/conversations': () => import('./pages/conversations/conversations-page.tsx'),
  '/meetings': () => import('./pages/meetings/list/meetings-page.tsx'),
  '/privacy': () => import('./pages/privacy/privacy-page.tsx'),
  '/drift': () => import('./pages/drift/drift-page.tsx'),
  '/audit': () => import('./pages/audit/audit-page.tsx'),
  '/customers': () => import('./pages/customers/customers-page.tsx'),
  '/my-sessions': () => import('./pages/sessions/sessions-page.tsx'),
  '/keys': () => import('./pages/customers/keys-page.tsx'),
};

const isMenuPage = (path: string): path is keyof typeof MENU_PAGES => path in MENU_PAGES;

/** Loads the file of a page that the user is about to open. A failure is left to the visit, which handles it. */
export function preloadPage(path: string): void {
  if (isMenuPage(path)) MENU_PAGES[path]().catch(() => {});
}
