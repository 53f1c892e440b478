import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasCode } from '../../errors/app-error.ts';
import type { Services } from '../../features/services.ts';
import { createSubscriptionLimit } from '../../limits/key-limits.ts';
import { isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import { missingBody } from '../../platform/http/parse-json-body.ts';
import type { Logger } from '../../platform/logger.ts';
import type { StreamKeys } from '../access/stream-keys.ts';
import { resolveTenant } from '../access/tenant-resolution.ts';
import type { RouteChecks } from '../checks.ts';
import type { DemoPage } from '../http-server-options.ts';
import { idempotencyKeyHeader } from '../idempotency-key.ts';
import { addAsset } from '../pages/static-assets.ts';
import { createContext } from '../request-context.ts';
import { respondStream } from '../response/response-stream.ts';
import { acceptedTypes, EVENT_STREAM_TYPE } from '../response/response-types.ts';
import { DATA_HEADERS } from '../response/security-headers.ts';
import { respondPage, respondRead, vary } from '../response/send-response.ts';
import { GRAPHIQL_CSP } from './graphiql-page.ts';
import type { GraphQLEndpoint } from './graphql-endpoint.ts';
import { hasOperation, urlParameters } from './request-parameters.ts';

interface GraphQLRouteOptions {
  graphql: GraphQLEndpoint;
  checks: RouteChecks;
  streamKeys: StreamKeys;
  services: Services;
  demo: DemoPage | null;
  log: Logger;
}

/**
 * Adds `/graphql` (contract 12): POST executes operations, GET those that only read, or responds with the page.
 *
 * Cross-site request forgery: an operation is parsed only after the `Authorization` header of its request was verified.
 * A browser does not add that header by itself, and sends one that a script of another origin sets only after a preflight
 * request. The session cookie of the console is ignored unless the request proves that it comes from the console.
 */
export function addGraphQL(app: FastifyInstance, options: GraphQLRouteOptions): void {
  const { graphql, checks, streamKeys, services, demo, log } = options;
  const limitSubscriptions = createSubscriptionLimit();

  /** Responds with the GraphiQL page to a GET request for it, which has no operation. */
  async function servePage({ scope, method, headers }: FastifyRequest, reply: FastifyReply) {
    if (hasOperation(scope.query) || !acceptedTypes(headers.accept).page) return;
    const isDemo = demo !== null && isLoopbackHostHeader(headers.host);
    const token = new URLSearchParams(scope.query).get('demo');
    const isTokenUsed = isDemo && method === 'GET' && token !== null && (await demo.useToken(token));
    const demoKeys = isTokenUsed ? demo.keys : null;
    scope.signal.throwIfAborted();
    // A browser may store the page, and the URL has results for other clients.
    vary(reply, 'Accept');
    const render = (nonce: string) => graphql.page(nonce, { demoKeys, isDemo });
    reply.send(respondPage(reply, render, { directives: GRAPHIQL_CSP, hasSecrets: isTokenUsed }));
  }

  /** @throws AppError RATE_LIMITED; UNAUTHENTICATED as `respondStream` does */
  const stream = (request: FastifyRequest, reply: FastifyReply, events: AsyncIterableIterator<string>) =>
    respondStream(request, reply, {
      contentType: EVENT_STREAM_TYPE,
      parts: events,
      streamKeys,
      admit: () => limitSubscriptions(request.caller.principal.keyId, request.scope),
    });

  /** @throws AppError for errors of the whole request: 400, 403, 429 */
  async function execute(request: FastifyRequest, reply: FastifyReply, body: unknown) {
    const { scope, caller } = request;
    const { principal } = caller;
    const tenant = await resolveTenant(scope, {
      principal,
      tenants: services.tenants,
      pathId: undefined,
    });
    // An admin key names a customer that is being deleted: a 403 of the whole request, as with the customer's own keys.
    if (hasCode(tenant, 'CUSTOMER_SUSPENDED')) throw tenant;
    const { accept, 'last-event-id': lastEventId } = request.headers;
    const context = createContext({
      scope,
      clientAddress: caller.clientAddress,
      principal,
      tenant,
      idempotencyKey: idempotencyKeyHeader(scope),
      // Empty before the first event with an id (HTML standard, server-sent events).
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      services,
      log,
    });
    scope.signal.throwIfAborted();
    let refusal: unknown;
    const response = await graphql.handle(
      {
        body,
        accept,
        isSafe: scope.method !== 'POST',
        reserve: async (responseBytes) => scope.unsent?.reserve(scope, responseBytes),
        charge: (points) =>
          caller.charge(points).catch((error: unknown) => {
            refusal = error;
            throw error;
          }),
      },
      context,
    );
    // The limit concerns the whole request, whatever the format of the operation's own errors.
    if (refusal) throw refusal;
    const { status, type, headers, body: result, isFailed = false, isRead } = response;
    scope.hasFailed = isFailed;
    if (typeof result !== 'string') return stream(request, reply, result);
    if (isRead) return respondRead(scope, reply, { status, headers, content: result, contentType: type });
    reply.code(status).headers(DATA_HEADERS).headers(headers).header('content-type', type);
    return result;
  }

  app.get('/graphql', checks.graphqlGet(servePage), (request, reply) =>
    request.scope.work(() => execute(request, reply, urlParameters(request.scope.query))),
  );
  app.post('/graphql', checks.graphqlPost, async (request, reply) => {
    if (request.body === undefined) throw missingBody();
    return request.scope.work(() => execute(request, reply, request.body));
  });
  for (const asset of graphql.assets) addAsset(app, asset);
}
