import type { GraphQLSchema } from 'graphql';
import type { Mount } from '../../schema/rest-route.ts';
import { createKeyRequests } from '../limits/key-limits.ts';
import { createFailureCounter, failureLimiter } from '../limits/rate-limits.ts';
import { createTenantTurns } from '../limits/tenant-turns.ts';
import { createUnsentResponses } from '../limits/unsent-responses.ts';
import { DatabaseUnavailable } from '../platform/mongo/unavailable.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { createClientNetwork } from './access/client-address.ts';
import { createStreamKeys } from './access/stream-keys.ts';
import { SESSION_PATH, SESSIONS_PATH, sessionHandlers } from './console/session-route.ts';
import { createCors } from './cors.ts';
import { createGraphQL } from './graphql/graphql-endpoint.ts';
import { graphqlRoute, isPageRequest } from './graphql/graphql-route.ts';
import type { HttpServerOptions } from './http-server-options.ts';
import { handleMethod, type MethodHandlers } from './method-handlers.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { healthType } from './openapi/probe-operations.ts';
import { INFO } from './openapi/shared-components.ts';
import { yamlHandler } from './openapi/yaml-handler.ts';
import { CONSOLE_BASE, isConsolePage, loadConsole } from './pages/console-page.ts';
import { DOCS_ASSETS, docsPage } from './pages/docs-page.ts';
import { indexPage } from './pages/index-page.ts';
import { assetHandler } from './pages/static-assets.ts';
import { probePaths } from './probe-server.ts';
import { isRecorderWebhook, recorderWebhooks } from './recorder-webhooks.ts';
import type { RequestScope } from './request-scope.ts';
import { documentHandler } from './response/document-handler.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { sendRedirect } from './response/send-response.ts';
import { mountRest } from './rest/rest-mount.ts';

/** Compiles the dispatch of a request to its handler: exact paths first, then the REST mounts by base path. */
export function createDispatch(options: HttpServerOptions): (scope: RequestScope) => Promise<void> {
  const { services, schemas, log, config, demo = null, outages } = options;
  const turns = createTenantTurns();
  const unsent = createUnsentResponses(options);
  const clientNetwork = createClientNetwork(config.trustedProxies);
  const failures = services.requestQuota && failureLimiter(options.countFailure ?? createFailureCounter());
  const authenticate = createAuthenticate({
    turns,
    keys: services.keys,
    sessions: services.consoleSessions,
    quota: services.requestQuota,
    failures,
    requests: createKeyRequests(config.httpMaxRequestsPerKey, options),
    clientNetwork,
  });
  const streamKeys = createStreamKeys({
    keys: services.keys,
    log,
    intervalMs: options.streamCheckIntervalMs,
  });
  const guarded = guardWith(outages);
  const graphql = createGraphQL({
    schema: schemas.graphql,
    turns,
    documents: config.graphqlDocuments,
  });
  const graphqlHandlers = graphqlRoute({
    graphql,
    authenticate: authenticate.byKeyOrSession,
    streamKeys,
    services,
    demo,
    log,
  });
  const getGraphQL = guarded(graphqlHandlers.get);
  const graphiql = guarded(graphqlHandlers.page);
  const browserConsole = loadConsole();
  const probes = probePaths(options);
  const exactPaths = new Map<string, MethodHandlers>([
    ['/', { GET: browserConsole ? (scope) => sendRedirect(scope, CONSOLE_BASE) : indexPage }],
    [
      '/graphql',
      {
        GET: (scope) => (isPageRequest(scope) ? graphiql(scope) : getGraphQL(scope)),
        POST: guarded(graphqlHandlers.post),
      },
    ],
  ]);

  if (browserConsole) {
    const handlers = sessionHandlers({
      authenticate: authenticate.byKey,
      sessions: services.consoleSessions,
    });
    exactPaths.set(SESSION_PATH, { POST: guarded(handlers.start), DELETE: guarded(handlers.end) });
    exactPaths.set(SESSIONS_PATH, { DELETE: guarded(handlers.endAll) });
  }

  for (const asset of [...graphql.assets, ...DOCS_ASSETS, ...(browserConsole?.assets ?? [])])
    exactPaths.set(asset.path, { GET: assetHandler(asset) });

  const restMount = (mount: Mount, schema: GraphQLSchema) =>
    mountRest({ mount, schema, authenticate: authenticate.byKey, turns, services, log });
  // `/api` is a prefix of `/api/v1`: the longer base comes first.
  const mounts = (['v1', 'preview', 'rpc'] as const).map((name) => {
    const mount = restMount(name, schemas[name]);
    return { ...mount, handle: guarded(mount.handle) };
  });
  for (const mount of mounts) {
    const json = JSON.stringify(openApiDocument(mount, { health: healthType(schemas) }));
    const documentPath = `${mount.base}/openapi.json`;
    exactPaths.set(documentPath, { GET: documentHandler(json) });
    exactPaths.set(`${mount.base}/openapi.yaml`, { GET: yamlHandler(json) });
    const path = `${mount.base}/docs`;
    exactPaths.set(path, { GET: docsPage({ title: INFO[mount.mount].title, path, documentPath }) });
  }

  const handleRecorderWebhook = guarded(
    recorderWebhooks({
      webhooks: services.providerWebhook,
      guardWrite: services.guardWrite,
      failures,
      clientNetwork,
    }),
  );
  const cors = createCors(config.corsOrigins);

  return async (scope) => {
    scope.unsent = unsent;
    const isGraphQL = scope.path.startsWith('/graphql');
    if (isGraphQL) scope.errorFormat = 'graphql';
    const mount = mounts.find(({ base }) => scope.path.startsWith(`${base}/`));
    if (isGraphQL || mount) cors(scope);
    const handlers = probes.get(scope.spelledPath) ?? exactPaths.get(scope.path);
    if (handlers) return handleMethod(scope, handlers);
    if (browserConsole && isConsolePage(scope.path)) {
      return handleMethod(scope, { GET: browserConsole.page }, CONSOLE_BASE);
    }
    if (mount) return mount.handle(scope);
    if (isRecorderWebhook(scope.path)) return handleRecorderWebhook(scope);
    throw noSuchPath();
  };
}

/** Abandons handlers that wait for an unavailable database; streams wait for it (contract 4). */
function guardWith({ guard }: HttpServerOptions['outages']) {
  return (handle: (scope: RequestScope) => Promise<void>) =>
    async (scope: RequestScope): Promise<void> => {
      const handled = handle(scope);
      try {
        await guard(() => handled);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        if (scope.streamingSince === undefined) {
          scope.abort(error);
          throw error;
        }
        await handled;
      }
    };
}
