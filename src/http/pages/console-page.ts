import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import { projectFile } from '../../platform/project-files.ts';
import { noSuchPath } from '../response/routing-errors.ts';
import { respondPage } from '../response/send-response.ts';
import { addAsset, fileAsset } from './static-assets.ts';

/** Base path of the console. */
export const CONSOLE_BASE = '/console';

/** Output of `npm run build`. */
const BUILD_DIR = projectFile('dist/console');

const INDEX = join(BUILD_DIR, 'index.html');

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Returns false if the console is not built, for example without the development dependencies. */
export const isConsoleBuilt = (): boolean => existsSync(INDEX);

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);

/**
 * Adds the single-page application, which routes by path in the browser, and its files.
 *
 * @param demoKeysFile path that the sign-in page names to a browser on this machine; null without demo keys
 */
export function addConsole(app: FastifyInstance, demoKeysFile: string | null): void {
  const html = readFileSync(INDEX, 'utf8');
  const pageFor = (host: string | undefined): string => {
    const file = demoKeysFile !== null && isLoopbackHostHeader(host) ? demoKeysFile : '';
    return html.replace('%DEMO_KEYS_FILE%', () => escapeHtml(file));
  };
  const config = { cors: false } as const;
  for (const path of [CONSOLE_BASE, `${CONSOLE_BASE}/*`])
    app.get(path, { config }, ({ headers }, reply) =>
      reply.send(respondPage(reply, (nonce) => pageFor(headers.host).replaceAll('%NONCE%', nonce))),
    );
  // A file is not a page.
  app.get(`${CONSOLE_BASE}/assets/*`, { config }, () => {
    throw noSuchPath();
  });
  // File names contain a hash of the content.
  for (const name of readdirSync(join(BUILD_DIR, 'assets'))) {
    const type = CONTENT_TYPES[extname(name)];
    const file = () => join(BUILD_DIR, 'assets', name);
    if (type) addAsset(app, fileAsset({ path: `${CONSOLE_BASE}/assets/${name}`, type, file }));
  }
}
