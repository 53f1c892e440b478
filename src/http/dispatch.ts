import type { GraphQLSchema } from 'graphql';
import type { Mount } from '../../schema/rest-route.ts';
import { AppError } from '../errors.ts';
import { sendJson } from './answer.ts';
import { assetHandler } from './assets.ts';
import { createAuthenticate } from './auth.ts';
import { DOCS_ASSETS, docsPage } from './docs.ts';
import type { Exchange } from './exchange.ts';
import { createGraphQL } from './graphql.ts';
import { graphqlRoute } from './graphql-route.ts';
import { healthHandler } from './health.ts';
import { metricsHandler } from './metrics.ts';
import { openApiDocument } from './openapi/document.ts';
import { INFO } from './openapi/shared.ts';
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
  const pages = new Map<string, Methods>([
    ['/', { GET: indexPage }],
    ['/api/health', { GET: healthHandler(services.health) }],
    ['/graphql', graphqlRoute({ graphql, authenticate, services, log })],
  ]);
  if (metrics) pages.set('/metrics', { GET: metricsHandler(metrics, config) });

  for (const asset of [...graphql.assets, ...DOCS_ASSETS])
    pages.set(asset.path, { GET: assetHandler(asset) });

  const mounted = (mount: Mount, schema: GraphQLSchema) =>
    mountRest({ mount, schema, authenticate, services, log });
  const v1 = mounted('v1', schemas.v1);
  const preview = mounted('preview', schemas.preview);
  // The bases of two lie within that of the third: longest first.
  const mounts = [v1, preview, ...(schemas.rpc ? [mounted('rpc', schemas.rpc)] : [])];
  for (const projection of [{ ...v1, mount: 'v1' } as const, { ...preview, mount: 'preview' } as const]) {
    const json = JSON.stringify(openApiDocument(projection));
    const address = `${projection.base}/openapi.json`;
    pages.set(address, { GET: (x) => sendJson(x, 200, json) });
    pages.set(`${projection.base}/docs`, { GET: docsPage(INFO[projection.mount].title, address) });
  }

  return async (x) => {
    if (x.path.startsWith('/graphql')) x.errorFormat = 'graphql';
    const page = pages.get(x.path);
    if (page) return handlePage(x, page);
    const mount = mounts.find(({ base }) => x.path.startsWith(`${base}/`));
    if (mount) return mount.handle(x);
    throw new AppError('NOT_FOUND', 'There is nothing at this address.');
  };
}

async function handlePage(x: Exchange, methods: Methods): Promise<void> {
  x.route = x.path;
  const handler = x.method === 'GET' || x.method === 'POST' ? methods[x.method] : undefined;
  if (handler) return handler(x);
  throw new AppError('METHOD_NOT_ALLOWED', 'This address does not have that method.', {
    allow: Object.keys(methods),
  });
}
