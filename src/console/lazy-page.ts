import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { checkConnection, whenConnected } from './api/connection.ts';

/** A file of the console that the service does not have, even after a reload. */
export class PageLoadError extends Error {
  override name = 'PageLoadError';
}

/** In the tab's session storage from a reload until a page has loaded, so that a reload that did not help is the last. */
const RELOADED_KEY = 'engagement.reloaded';

/**
 * Loads a page on its first visit, and waits for the end of an outage. A failed import is followed by a reload, which
 * keeps session and address: Chromium caches the failure of an import, and after an update of the service the file has
 * another name.
 */
export const lazyPage = <P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    await whenConnected();
    try {
      const page = await load();
      sessionStorage.removeItem(RELOADED_KEY);
      return page;
    } catch (error) {
      const wasReachable = await checkConnection();
      if (wasReachable && sessionStorage.getItem(RELOADED_KEY) !== null)
        throw new PageLoadError('The page failed to load.', { cause: error });
      await whenConnected();
      sessionStorage.setItem(RELOADED_KEY, 'true');
      window.location.reload();
      // Shows the placeholder until the browser has reloaded the console.
      return new Promise<never>(() => {});
    }
  });
