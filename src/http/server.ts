import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../schema/rest-route.ts';
import { createKeyRequests } from '../limits/key-limits.ts';
import { createFailureCounter, failureLimiter } from '../limits/rate-limits.ts';
import { createTenantTurns } from '../limits/tenant-turns.ts';
import { createUnsentResponses } from '../limits/unsent-responses.ts';
import { lazy } from '../platform/lazy.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { createClientAddress, createClientNetwork } from './access/client-address.ts';
import { createStreamKeys } from './access/stream-keys.ts';
import { createChecks } from './checks.ts';
import { addSessionRoutes } from './console/session-route.ts';
import { createGraphQL } from './graphql/graphql-endpoint.ts';
import { addGraphQL } from './graphql/graphql-route.ts';
import { createApp, type HttpServer, httpServer } from './http-app.ts';
import type { HttpServerOptions, ProbeOptions } from './http-server-options.ts';
import { asyncApiDocument } from './openapi/asyncapi-document.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { healthType } from './openapi/probe-operations.ts';
import { INFO } from './openapi/shared-components.ts';
import { yamlHandler } from './openapi/yaml-handler.ts';
import { addConsole, CONSOLE_BASE, isConsoleBuilt } from './pages/console-page.ts';
import { addDocsPage, DOCS_ASSETS } from './pages/docs-page.ts';
import { indexPage } from './pages/index-page.ts';
import { addAsset } from './pages/static-assets.ts';
import { addProbes } from './probes.ts';
import { addRecorderWebhooks } from './recorder-webhooks.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { documentHandler } from './response/send-response.ts';
import { mountRest } from './rest/rest-mount.ts';
import { MOUNT_BASE } from './rest/rest-routes.ts';
import { addWebhookKeys } from './webhook-keys.ts';

const MOUNTS: readonly Mount[] = ['v1', 'preview', 'rpc'];

/** Creates the HTTP server for REST, GraphQL, their documents, the pages and the health endpoint. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { services, schemas, log, config, demo = null, outages } = options;
  const { corsOrigins } = config;
  const turns = createTenantTurns();
  const clientAddress = createClientAddress(config.trustedProxies);
  const clientNetwork = createClientNetwork(clientAddress);
  const failures = services.requestQuota && failureLimiter(options.countFailure ?? createFailureCounter());
  const authenticate = createAuthenticate({
    turns,
    audit: services.audit,
    keys: services.keys,
    sessions: services.consoleSessions,
    quota: services.requestQuota,
    failures,
    requests: createKeyRequests(config.httpMaxRequestsPerKey, options),
    clientAddress,
  });
  const checks = createChecks({ authenticate, outages, services });
  const app = createApp({ ...options, unsent: createUnsentResponses(options), corsOrigins });

  const streamKeys = createStreamKeys({
    keys: services.keys,
    log,
    intervalMs: options.streamCheckIntervalMs,
  });

  addProbes(app, options);
  addGraphQL(app, {
    graphql: createGraphQL({ schema: schemas.graphql, turns, documents: config.graphqlDocuments }),
    checks,
    streamKeys,
    services,
    demo,
    log,
  });
  for (const name of MOUNTS) {
    const mount = mountRest(app, {
      mount: name,
      schema: schemas[name],
      checks,
      turns,
      streamKeys,
      services,
      log,
    });
    addDocument(app, `${mount.base}/openapi`, () => openApiDocument(mount, { health: healthType(schemas) }));
    const documentPath = `${mount.base}/openapi.json`;
    addDocsPage(app, { title: INFO[name].title, path: `${mount.base}/docs`, documentPath });
  }
  addDocument(app, `${MOUNT_BASE.v1}/asyncapi`, asyncApiDocument);
  for (const asset of DOCS_ASSETS) addAsset(app, asset);
  addRecorderWebhooks(app, {
    webhooks: services.providerWebhook,
    requireActive: services.tenants.requireActive,
    guardWrite: services.guardWrite,
    failures,
    clientNetwork,
    checks,
  });
  addWebhookKeys(app, { keys: services.webhookKeys, limiter: failures, clientNetwork, checks });
  if (isConsoleBuilt()) {
    addConsole(app, demo?.keysFile ?? null);
    addSessionRoutes(app, {
      sessions: services.consoleSessions,
      authenticate,
      audit: services.audit,
      clientAddress,
      checks,
    });
    app.get('/', { config: { cors: false } }, (_request, reply) =>
      reply.headers(DATA_HEADERS).redirect(CONSOLE_BASE),
    );
  } else app.get('/', { config: { cors: false } }, indexPage);

  return httpServer(app, config);
}

/**
 * Adds a document of an API as JSON and YAML; no key is required.
 *
 * @param path without the extension
 * @param build called at the first request, since few processes get one
 */
function addDocument(app: FastifyInstance, path: string, build: () => object): void {
  const json = lazy(() => JSON.stringify(build()));
  const handler = lazy(() => documentHandler(json()));
  app.get(`${path}.json`, (request, reply) => handler()(request, reply));
  app.get(`${path}.yaml`, yamlHandler(json));
}

/** Creates a server for metrics and health only (contract 2, `METRICS_PORT`). */
export function createProbeServer(options: ProbeOptions & { host: string; port: number }): HttpServer {
  const app = createApp({ ...options, unsent: null, corsOrigins: [] });
  addProbes(app, options);
  return httpServer(app, options);
}
