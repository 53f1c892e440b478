import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { checkConnection, whenConnected } from './api/connection.ts';

/** A file of the console that the service does not have, even after a reload. */
export class PageLoadError extends Error {
  override name = 'PageLoadError';
}

/** A reload that did not help is not repeated within this time. */
const RELOAD_INTERVAL_MS = 10_000;

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
      return await load();
    } catch (error) {
      const wasReachable = await checkConnection();
      if (wasReachable && performance.now() < RELOAD_INTERVAL_MS)
        throw new PageLoadError('The page failed to load.', { cause: error });
      await whenConnected();
      window.location.reload();
      // Shows the placeholder until the browser has reloaded the console.
      return new Promise<never>(() => {});
    }
  });
