import { type ComponentType, createElement, type FunctionComponent, lazy, useState } from 'react';
import { checkConnection, whenConnected } from './api/connection.ts';
import type { FirstQueries } from './first-queries.ts';

/** A file of the console could not be loaded, even after a reload of the page. */
export class PageLoadError extends Error {
  override name = 'PageLoadError';
}

/**
 * Session storage key of the file that failed before the last reload, removed when that file is loaded: a reload that
 * does not help is the last.
 */
const RELOADED_KEY = 'engagement.reloaded';

interface PartFile<P> {
  default: ComponentType<P> & { firstQueries?: FirstQueries };
}

/** A component in a file of its own. */
type LazyComponent<P extends object> = FunctionComponent<P> & {
  /** Loads the file. After a failure, the browser does not request it again; the component handles that. */
  preload(): Promise<PartFile<P>>;
};

/**
 * Loads a page, or a part of one, when it is first shown, and waits for the end of an outage. Reloads the console if the
 * import fails: Chromium caches the failure, and an update of the service renames the file. Session and address survive
 * the reload.
 */
export function lazyComponent<P extends object>(load: () => Promise<PartFile<P>>): LazyComponent<P> {
  let loaded: ComponentType<P> | undefined;
  const preload = async (): Promise<PartFile<P>> => {
    const file = await load();
    loaded = file.default;
    return file;
  };
  const Loading = lazy(async () => {
    // The source of the function contains the name of the file.
    const file = String(load);
    await whenConnected();
    try {
      const component = await preload();
      if (sessionStorage.getItem(RELOADED_KEY) === file) sessionStorage.removeItem(RELOADED_KEY);
      return component;
    } catch (error) {
      const wasReachable = await checkConnection();
      if (wasReachable && sessionStorage.getItem(RELOADED_KEY) === file)
        throw new PageLoadError('The page failed to load.', { cause: error });
      await whenConnected();
      sessionStorage.setItem(RELOADED_KEY, file);
      window.location.reload();
      // Shows the placeholder until the browser has reloaded the console.
      return new Promise<never>(() => {});
    }
  });
  const Part = (props: P) => {
    // React shows what `lazy` returns 300 ms after the placeholder or later, so a loaded file must not need one.
    const [Shown] = useState<ComponentType<P>>(() => loaded ?? Loading);
    return createElement(Shown, props);
  };
  return Object.assign(Part, { preload });
}
