import type { GraphQLSchema } from 'graphql';
import type { Mount } from '../../schema/rest-route.ts';
import { AppError } from '../errors.ts';
import { sendJson, sendRedirect } from './answer.ts';
import { assetHandler } from './assets.ts';
import { createAuthenticate } from './auth.ts';
import { CONSOLE_BASE, isConsolePage, loadConsole } from './console.ts';
import { DOCS_ASSETS, docsPage } from './docs.ts';
import type { Exchange } from './exchange.ts';
import { createGraphQL } from './graphql.ts';
import { graphqlRoute } from './graphql-route.ts';
import { healthHandler } from './health.ts';
import { metricsHandler } from './metrics.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { INFO } from './openapi/shared-components.ts';
import { indexPage } from './pages.ts';
import { mountRest } from './rest.ts';
import type { HttpServerOptions } from './server.ts';

type Handler = (x: Exchange) => void | Promise<void>;
/** What one address does, by method. */
type Methods = Partial<Record<'GET' | 'POST', Handler>>;

/** Compiles the way from a path to its handler: whole paths first, then the REST mounts by their base. */
export function createDispatch(options: HttpServerOptions): (x: Exchange) => Promise<void> {
  const { services, schemas, log, config, metrics, demoReadKey } = options;
  const authenticate = createAuthenticate({ keys: services.keys, rateLimit: config.rateLimit });
  const graphql = createGraphQL({ schema: schemas.graphql, demoReadKey });
  const browserConsole = loadConsole();
  const pages = new Map<string, Methods>([
    ['/', { GET: browserConsole ? (x) => sendRedirect(x, CONSOLE_BASE) : indexPage }],
    ['/api/health', { GET: healthHandler(services.health) }],
    ['/graphql', graphqlRoute({ graphql, authenticate, services, log })],
  ]);
  if (metrics) pages.set('/metrics', { GET: metricsHandler(metrics, config) });

  for (const asset of [...graphql.assets, ...DOCS_ASSETS, ...(browserConsole?.assets ?? [])])
    pages.set(asset.path, { GET: assetHandler(asset) });

  const mounted = (mount: Mount, schema: GraphQLSchema) =>
    mountRest({ mount, schema, authenticate, services, log });
  // The base of one lies within that of the last: longest first.
  const mounts = (['v1', 'preview', 'rpc'] as const).map((mount) => mounted(mount, schemas[mount]));
  for (const projection of mounts) {
    const json = JSON.stringify(openApiDocument(projection));
    const address = `${projection.base}/openapi.json`;
    pages.set(address, { GET: (x) => sendJson(x, 200, json) });
    pages.set(`${projection.base}/docs`, { GET: docsPage(INFO[projection.mount].title, address) });
  }

  return async (x) => {
    if (x.path.startsWith('/graphql')) x.errorFormat = 'graphql';
    const page = pages.get(x.path);
    if (page) return handlePage(x, page);
    if (browserConsole && isConsolePage(x.path)) {
      return handlePage(x, { GET: browserConsole.page }, CONSOLE_BASE);
    }
    const mount = mounts.find(({ base }) => x.path.startsWith(`${base}/`));
    if (mount) return mount.handle(x);
    throw new AppError('NOT_FOUND', 'There is nothing at this address.');
  };
}

async function handlePage(x: Exchange, methods: Methods, route = x.path): Promise<void> {
  x.route = route;
  const handler = x.method === 'GET' || x.method === 'POST' ? methods[x.method] : undefined;
  if (handler) return handler(x);
  throw new AppError(
    'METHOD_NOT_ALLOWED',
    'This address does not take that method; the header Allow names those that it takes.',
    {
      allow: Object.keys(methods),
    },
  );
}
