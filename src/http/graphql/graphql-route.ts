import { addAbortListener } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import type { Services } from '../../features/services.ts';
import { createSubscriptionLimit } from '../../limits/key-limits.ts';
import { isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Authenticate, Caller } from '../access/authenticate.ts';
import type { StreamKeys } from '../access/stream-keys.ts';
import { resolveTenant } from '../access/tenant-resolution.ts';
import type { DemoPage } from '../http-server-options.ts';
import { idempotencyKeyHeader } from '../idempotency-key.ts';
import { missingBody, readJsonBody } from '../request-body.ts';
import { createContext } from '../request-context.ts';
import type { RequestScope } from '../request-scope.ts';
import { DATA_HEADERS } from '../response/security-headers.ts';
import { sendEmpty, sendPage, sendRead, sendResponse } from '../response/send-response.ts';
import { GRAPHIQL_CSP } from './graphiql-page.ts';
import type { GraphQLEndpoint } from './graphql-endpoint.ts';
import { hasOperation, urlParameters } from './request-parameters.ts';
import { acceptedTypes, EVENT_STREAM_TYPE } from './response-types.ts';

export interface GraphQLRouteOptions {
  graphql: GraphQLEndpoint;
  authenticate: Authenticate;
  streamKeys: StreamKeys;
  services: Services;
  demo: DemoPage | null;
  log: Logger;
}

const STREAM_HEADERS: readonly string[] = [
  ...DATA_HEADERS,
  'Content-Type',
  EVENT_STREAM_TYPE,
  // Disables response buffering in nginx and compatible proxies.
  'X-Accel-Buffering',
  'no',
];

/** Returns true if a GET request is for the GraphiQL page, and not for an operation. */
export const isPageRequest = ({ req, query }: RequestScope): boolean =>
  !hasOperation(query) && acceptedTypes(req.headers.accept).page;

/**
 * `/graphql` (contract 12): POST executes operations, GET those that only read.
 *
 * Cross-site request forgery: an operation is parsed only after the `Authorization` header of its request was verified.
 * A browser does not add that header by itself, and sends one that a script of another origin sets only after a preflight
 * request. The session cookie of the console is ignored unless the request proves that it comes from the console.
 */
export function graphqlRoute(options: GraphQLRouteOptions) {
  const { graphql, authenticate, streamKeys, services, demo, log } = options;
  const limitSubscriptions = createSubscriptionLimit();

  /**
   * @throws AppError RATE_LIMITED; UNAUTHENTICATED if the key was revoked before the subscription watched for its
   *   revocation
   */
  async function stream(
    scope: RequestScope,
    { principal, recheck, sessionLeftMs, endExecution }: Caller,
    events: AsyncIterableIterator<string>,
  ): Promise<void> {
    addAbortListener(scope.signal, () => void events.return?.());
    if (scope.method === 'HEAD') {
      sendEmpty(scope, { status: 200, headers: STREAM_HEADERS });
      return;
    }
    limitSubscriptions(principal.keyId, (listener) => scope.onClose(listener));
    endExecution();
    const end = () => scope.endStream();
    scope.onClose(streamKeys.watch(principal, end));
    await recheck();
    streamEvents(scope, events);
    if (sessionLeftMs) {
      const expiry = setTimeout(end, Math.max(sessionLeftMs(), 0)).unref();
      scope.onClose(() => clearTimeout(expiry));
    }
  }

  /** @throws AppError for errors of the whole request: 400, 401, 413, 415, 429 */
  async function execute(
    scope: RequestScope,
    readParameters: (caller: Caller) => unknown | Promise<unknown>,
  ): Promise<void> {
    const caller = await authenticate(scope);
    const { principal } = caller;
    const body = await readParameters(caller);
    const tenant = await resolveTenant(scope, {
      principal,
      tenants: services.tenants,
      pathId: undefined,
    });
    const { accept, 'last-event-id': lastEventId } = scope.req.headers;
    const context = createContext({
      requestId: scope.requestId,
      principal,
      tenant,
      idempotencyKey: idempotencyKeyHeader(scope),
      // Empty before the first event with an id (HTML standard, server-sent events).
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      signal: scope.signal,
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
    const { status, type, headers, body: result, isRead } = response;
    if (typeof result !== 'string') await stream(scope, caller, result);
    else if (isRead) await sendRead(scope, { status, headers, content: result, contentType: type });
    else
      sendResponse(scope, {
        status,
        headers: [...DATA_HEADERS, 'Content-Type', type, ...headers],
        body: result,
      });
  }

  return {
    /** Serves the GraphiQL page. */
    async page(scope: RequestScope): Promise<void> {
      const isDemo = demo !== null && isLoopbackHostHeader(scope.req.headers.host);
      const token = new URLSearchParams(scope.query).get('demo');
      const isTokenUsed = isDemo && scope.method === 'GET' && token !== null && (await demo.useToken(token));
      const demoKeys = isTokenUsed ? demo.keys : null;
      scope.signal.throwIfAborted();
      // A browser may store the page, and the URL has results for other clients.
      scope.headers.push('Vary', 'Accept');
      const render = (nonce: string) => graphql.page(nonce, { demoKeys, isDemo });
      sendPage(scope, render, { directives: GRAPHIQL_CSP, hasSecrets: isTokenUsed });
    },
    /** Executes the operation in the URL. */
    get: (scope: RequestScope): Promise<void> => execute(scope, () => urlParameters(scope.query)),
    /** Executes the operation in the body. */
    post: (scope: RequestScope): Promise<void> =>
      execute(scope, async (caller) => {
        const body = await readJsonBody(scope, caller);
        if (body === undefined) throw missingBody();
        return body;
      }),
  };
}

/** Streams server-sent events until they end, the client disconnects or the server stops. */
function streamEvents(scope: RequestScope, events: AsyncIterableIterator<string>): void {
  const { res } = scope;
  res.writeHead(200, [...STREAM_HEADERS, ...scope.commonHeaders()]);
  res.flushHeaders();
  scope.beginStream();
  // Destroys the events, which calls their `return()`, when the client disconnects.
  pipeline(Readable.from(events, { objectMode: false, highWaterMark: 1 }), res, () => {});
}
