import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Exchange } from '../exchange.ts';
import { sendPage } from '../response/send-response.ts';
import { type Asset, fileAsset } from './static-assets.ts';

/** Where the console is; its pages are below. */
export const CONSOLE_BASE = '/console';

/** What `npm run build` has built. */
const BUILT = join(import.meta.dirname, '../../../dist/console');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface BrowserConsole {
  /** The one page: what it shows is decided by its address, in the browser. */
  page(x: Exchange): void;
  assets: readonly Asset[];
}

/** Whether an address is one that the console's page shows: its files have addresses of their own. */
export const isConsolePage = (path: string): boolean =>
  path === CONSOLE_BASE ||
  (path.startsWith(`${CONSOLE_BASE}/`) && !path.startsWith(`${CONSOLE_BASE}/assets/`));

/** The built console; null when it was not built, because its tools were not installed. */
export function loadConsole(): BrowserConsole | null {
  const index = join(BUILT, 'index.html');
  if (!existsSync(index)) return null;
  const html = readFileSync(index, 'utf8');
  const files = readdirSync(join(BUILT, 'assets'));
  return {
    page: (x) => sendPage(x, (nonce) => html.replaceAll('%NONCE%', nonce)),
    // Their names have a hash of what is in them.
    assets: files.flatMap((name) => {
      const type = TYPES[extname(name)];
      return type
        ? [fileAsset(`${CONSOLE_BASE}/assets/${name}`, type, () => join(BUILT, 'assets', name))]
        : [];
    }),
  };
}
