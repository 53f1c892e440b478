import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { checkConnection, whenConnected } from './api/connection.ts';

/** A file of the console could not be loaded, even after a reload of the page. */
export class PageLoadError extends Error {
  override name = 'PageLoadError';
}

/** Session storage key, set by a reload and removed by the next loaded page: a reload that does not help is the last. */
const RELOADED_KEY = 'engagement.reloaded';

/**
 * Loads a page on its first visit, and waits for the end of an outage. Reloads the console if the import fails: Chromium
 * caches the failure, and an update of the service renames the file. Session and address survive the reload.
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
