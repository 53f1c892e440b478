import { pipeline, Readable } from 'node:stream';
import type { Services } from '../../features/services.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import { createSubscriptionLimit } from '../../limits/key-limits.ts';
import { isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Authenticate } from '../access/authenticate.ts';
import type { StreamKeys } from '../access/stream-keys.ts';
import { resolveTenant } from '../access/tenant-resolution.ts';
import type { Exchange } from '../exchange.ts';
import type { DemoPage } from '../http-server-options.ts';
import { idempotencyKeyHeader } from '../idempotency-key.ts';
import { missingBody, readJsonBody } from '../request-body.ts';
import { createContext } from '../request-context.ts';
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
export const isPageRequest = ({ req, query }: Exchange): boolean =>
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
    exchange: Exchange,
    principal: Principal,
    events: AsyncIterableIterator<string>,
  ): Promise<void> {
    exchange.onClose(() => void events.return?.());
    if (exchange.method === 'HEAD') {
      sendEmpty(exchange, { status: 200, headers: STREAM_HEADERS });
      return;
    }
    limitSubscriptions(principal.keyId, (listener) => exchange.onClose(listener));
    exchange.endExecution?.();
    const end = () => exchange.endStream?.();
    exchange.onClose(streamKeys.watch(principal, end));
    await exchange.recheckKey();
    streamEvents(exchange, events);
    if (exchange.sessionLeftMs) {
      const expiry = setTimeout(end, Math.max(exchange.sessionLeftMs(), 0)).unref();
      exchange.onClose(() => clearTimeout(expiry));
    }
  }

  /** @throws AppError for errors of the whole request: 400, 401, 413, 415, 429 */
  async function execute(
    exchange: Exchange,
    readParameters: () => unknown | Promise<unknown>,
  ): Promise<void> {
    const principal = await authenticate(exchange);
    const body = await readParameters();
    const tenant = await resolveTenant(exchange, {
      principal,
      tenants: services.tenants,
      pathId: undefined,
    });
    const { accept, 'last-event-id': lastEventId } = exchange.req.headers;
    const context = createContext({
      requestId: exchange.requestId,
      principal,
      tenant,
      idempotencyKey: idempotencyKeyHeader(exchange),
      // Empty before the first event with an id (HTML standard, server-sent events).
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      onClose: (listener) => exchange.onClose(listener),
      services,
      log,
    });
    exchange.throwIfResponded();
    let refusal: unknown;
    const response = await graphql.handle(
      {
        body,
        accept,
        isSafe: exchange.method !== 'POST',
        throwIfClosed: () => exchange.throwIfClosed(),
        reserve: async (responseBytes) => exchange.unsent?.reserve(exchange, responseBytes),
        charge: (points) =>
          exchange.charge(points).catch((error: unknown) => {
            refusal = error;
            throw error;
          }),
      },
      context,
    );
    // The limit concerns the whole request, whatever the format of the operation's own errors.
    if (refusal) throw refusal;
    const { status, type, headers, body: result, isRead } = response;
    if (typeof result !== 'string') await stream(exchange, principal, result);
    else if (isRead) await sendRead(exchange, { status, headers, content: result, contentType: type });
    else
      sendResponse(exchange, {
        status,
        headers: [...DATA_HEADERS, 'Content-Type', type, ...headers],
        body: result,
      });
  }

  return {
    /** Serves the GraphiQL page. */
    async page(exchange: Exchange): Promise<void> {
      const isDemo = demo !== null && isLoopbackHostHeader(exchange.req.headers.host);
      const token = new URLSearchParams(exchange.query).get('demo');
      const isTokenUsed =
        isDemo && exchange.method === 'GET' && token !== null && (await demo.useToken(token));
      const demoKeys = isTokenUsed ? demo.keys : null;
      exchange.throwIfResponded();
      // A browser may store the page, and the URL has results for other clients.
      exchange.headers.push('Vary', 'Accept');
      const render = (nonce: string) => graphql.page(nonce, { demoKeys, isDemo });
      sendPage(exchange, render, { directives: GRAPHIQL_CSP, hasSecrets: isTokenUsed });
    },
    /** Executes the operation in the URL. */
    get: (exchange: Exchange): Promise<void> => execute(exchange, () => urlParameters(exchange.query)),
    /** Executes the operation in the body. */
    post: (exchange: Exchange): Promise<void> =>
      execute(exchange, async () => {
        const body = await readJsonBody(exchange);
        if (body === undefined) throw missingBody();
        return body;
      }),
  };
}

/** Streams server-sent events until they end, the client disconnects or the server stops. */
function streamEvents(exchange: Exchange, events: AsyncIterableIterator<string>): void {
  const { res } = exchange;
  exchange.endStream = () => {
    exchange.endStream = undefined;
    void events.return?.();
  };
  res.writeHead(200, [...STREAM_HEADERS, ...exchange.commonHeaders()]);
  res.flushHeaders();
  exchange.streamingSince = performance.now();
  if (res.destroyed || exchange.stopping) exchange.endStream();
  // Destroys the events, which calls their `return()`, when the client disconnects.
  pipeline(Readable.from(events, { objectMode: false, highWaterMark: 1 }), res, () => {});
}
