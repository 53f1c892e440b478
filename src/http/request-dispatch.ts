import type { GraphQLSchema } from 'graphql';
import type { Mount } from '../../schema/rest-route.ts';
import { DatabaseUnavailable } from '../platform/mongo/unavailable.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { createClientNetwork } from './access/client-address.ts';
import { createStreamKeys } from './access/stream-keys.ts';
import { createTenantTurns } from './access/tenant-turns.ts';
import type { Exchange } from './exchange.ts';
import { createGraphQL } from './graphql/graphql-endpoint.ts';
import { graphqlRoute } from './graphql/graphql-route.ts';
import { healthHandler } from './health-endpoint.ts';
import type { HttpServerOptions, ProbeOptions } from './http-server-options.ts';
import { metricsHandler } from './metrics-endpoint.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { healthType } from './openapi/probe-operations.ts';
import { INFO } from './openapi/shared-components.ts';
import { yamlHandler } from './openapi/yaml-handler.ts';
import { CONSOLE_BASE, isConsolePage, loadConsole } from './pages/console-page.ts';
import { DOCS_ASSETS, docsPage } from './pages/docs-page.ts';
import { indexPage } from './pages/index-page.ts';
import { assetHandler } from './pages/static-assets.ts';
import { methodNotAllowed, noSuchPath } from './response/routing-errors.ts';
import { sendJson, sendRedirect } from './response/send-response.ts';
import { mountRest } from './rest/rest-mount.ts';

type Handler = (exchange: Exchange) => void | Promise<void>;
/** Handlers of one path by method. */
type MethodHandlers = Partial<Record<'GET' | 'POST', Handler>>;

/** Compiles the dispatch of a request to its handler: exact paths first, then the REST mounts by base path. */
export function createDispatch(options: HttpServerOptions): (exchange: Exchange) => Promise<void> {
  const { services, schemas, log, config, demoReadKey, outages } = options;
  const turns = createTenantTurns();
  const authenticate = createAuthenticate({
    turns,
    keys: services.keys,
    rateLimit: config.rateLimit,
    maxRequestsPerKey: config.httpMaxRequestsPerKey,
    clientNetwork: createClientNetwork(config.trustedProxies),
  });
  const streamKeys = createStreamKeys({
    keys: services.keys,
    log,
    intervalMs: options.streamCheckIntervalMs,
  });
  const guarded = guardWith(outages);
  const graphql = createGraphQL({ schema: schemas.graphql, turns, demoReadKey });
  const graphqlHandlers = graphqlRoute({ graphql, authenticate, streamKeys, services, log });
  const browserConsole = loadConsole();
  const exactPaths = new Map<string, MethodHandlers>([
    ['/', { GET: browserConsole ? (exchange) => sendRedirect(exchange, CONSOLE_BASE) : indexPage }],
    ...probePaths(options),
    ['/graphql', { GET: graphqlHandlers.GET, POST: guarded(graphqlHandlers.POST) }],
  ]);

  for (const asset of [...graphql.assets, ...DOCS_ASSETS, ...(browserConsole?.assets ?? [])])
    exactPaths.set(asset.path, { GET: assetHandler(asset) });

  const restMount = (mount: Mount, schema: GraphQLSchema) =>
    mountRest({ mount, schema, authenticate, turns, services, log });
  // `/api` is a prefix of `/api/v1`: the longer base comes first.
  const mounts = (['v1', 'preview', 'rpc'] as const).map((mount) => restMount(mount, schemas[mount]));
  for (const mount of mounts) {
    const json = JSON.stringify(openApiDocument(mount, { health: healthType(schemas) }));
    const documentPath = `${mount.base}/openapi.json`;
    exactPaths.set(documentPath, { GET: (exchange) => sendJson(exchange, { status: 200, json }) });
    exactPaths.set(`${mount.base}/openapi.yaml`, { GET: yamlHandler(json) });
    exactPaths.set(`${mount.base}/docs`, { GET: docsPage(INFO[mount.mount].title, documentPath) });
  }

  return async (exchange) => {
    if (exchange.path.startsWith('/graphql')) exchange.errorFormat = 'graphql';
    const handlers = exactPaths.get(exchange.path);
    if (handlers) return handleMethod(exchange, handlers);
    if (browserConsole && isConsolePage(exchange.path)) {
      return handleMethod(exchange, { GET: browserConsole.page }, CONSOLE_BASE);
    }
    const mount = mounts.find(({ base }) => exchange.path.startsWith(`${base}/`));
    if (mount) return guarded(mount.handle)(exchange);
    throw noSuchPath();
  };
}

/** Compiles the dispatch of a server for metrics and health only. */
export function createProbeDispatch(options: ProbeOptions): (exchange: Exchange) => Promise<void> {
  const paths = new Map(probePaths(options));
  return async (exchange) => {
    const handlers = paths.get(exchange.path);
    if (!handlers) throw noSuchPath();
    return handleMethod(exchange, handlers);
  };
}

function probePaths({ services, config, metrics }: ProbeOptions): [string, MethodHandlers][] {
  const paths: [string, MethodHandlers][] = [['/api/health', { GET: healthHandler(services.health) }]];
  if (metrics) paths.push(['/metrics', { GET: metricsHandler(metrics, config) }]);
  return paths;
}

/** Abandons handlers that wait for an unavailable database; streams wait for it (contract 4). */
function guardWith({ guard }: HttpServerOptions['outages']) {
  return (handle: (exchange: Exchange) => Promise<void>) =>
    async (exchange: Exchange): Promise<void> => {
      const handled = handle(exchange);
      try {
        await guard(() => handled);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || exchange.streamingSince === undefined) throw error;
        await handled;
      }
    };
}

async function handleMethod(
  exchange: Exchange,
  handlers: MethodHandlers,
  route = exchange.path,
): Promise<void> {
  exchange.route = route;
  const handler =
    exchange.method === 'GET' || exchange.method === 'POST' ? handlers[exchange.method] : undefined;
  if (!handler) throw methodNotAllowed(Object.keys(handlers));
  return handler(exchange);
}
