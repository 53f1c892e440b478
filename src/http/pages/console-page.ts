import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { RequestScope } from '../request-scope.ts';
import { sendPage } from '../response/send-response.ts';
import { type Asset, fileAsset } from './static-assets.ts';

/** Base path of the console. */
export const CONSOLE_BASE = '/console';

/** Output of `npm run build`. */
const BUILD_DIR = join(import.meta.dirname, '../../../dist/console');

const INDEX = join(BUILD_DIR, 'index.html');

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface BrowserConsole {
  /** Serves the single-page application, which routes by path in the browser. */
  page(scope: RequestScope): void;
  assets: readonly Asset[];
}

/** Returns true if a path is a page of the console rather than one of its files. */
export const isConsolePage = (path: string): boolean =>
  path === CONSOLE_BASE ||
  (path.startsWith(`${CONSOLE_BASE}/`) && !path.startsWith(`${CONSOLE_BASE}/assets/`));

/** Returns false if the console is not built, for example without the development dependencies. */
export const isConsoleBuilt = (): boolean => existsSync(INDEX);

/** Loads the built console; null if it is not built. */
export function loadConsole(): BrowserConsole | null {
  if (!isConsoleBuilt()) return null;
  const html = readFileSync(INDEX, 'utf8');
  const files = readdirSync(join(BUILD_DIR, 'assets'));
  return {
    page: (scope) => sendPage(scope, (nonce) => html.replaceAll('%NONCE%', nonce)),
    // File names contain a hash of the content.
    assets: files.flatMap((name) => {
      const type = CONTENT_TYPES[extname(name)];
      return type
        ? [
            fileAsset({
              path: `${CONSOLE_BASE}/assets/${name}`,
              type,
              file: () => join(BUILD_DIR, 'assets', name),
            }),
          ]
        : [];
    }),
  };
}
