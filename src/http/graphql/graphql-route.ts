import { pipeline, Readable } from 'node:stream';
import type { Principal } from '../../features/tenants/tenants.types.ts';
import { isLoopbackHostHeader } from '../../platform/http/loopback-host.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Services } from '../../services.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { subscriptionLimiter } from '../access/key-limits.ts';
import type { StreamKeys } from '../access/stream-keys.ts';
import { resolveTenant } from '../access/tenant-resolution.ts';
import type { Exchange } from '../exchange.ts';
import { idempotencyKeyHeader } from '../idempotency-key.ts';
import { missingBody, readJsonBody } from '../request-body.ts';
import { createContext } from '../request-context.ts';
import { DATA_HEADERS } from '../response/security-headers.ts';
import { sendJson, sendPage, sendRead } from '../response/send-response.ts';
import { GRAPHIQL_CSP } from './graphiql-page.ts';
import type { GraphQLEndpoint } from './graphql-endpoint.ts';

export interface GraphQLRouteOptions {
  graphql: GraphQLEndpoint;
  authenticate: Authenticate;
  streamKeys: StreamKeys;
  services: Services;
  log: Logger;
}

/** `/graphql` (contract 12): GET serves the GraphiQL page only, POST executes an operation. */
export function graphqlRoute(options: GraphQLRouteOptions) {
  const { graphql, authenticate, streamKeys, services, log } = options;
  const limitSubscriptions = subscriptionLimiter();

  /**
   * @throws AppError RATE_LIMITED; UNAUTHENTICATED if the key was revoked before the subscription watched for its
   *   revocation
   */
  async function stream(
    exchange: Exchange,
    { keyId }: Principal,
    events: AsyncIterableIterator<string>,
  ): Promise<void> {
    exchange.onClose(() => void events.return?.());
    limitSubscriptions(exchange, keyId);
    exchange.onClose(streamKeys.watch(keyId, () => exchange.endStream?.()));
    await exchange.recheckKey();
    streamEvents(exchange, events);
  }

  return {
    GET(exchange: Exchange): void {
      const local = isLoopbackHostHeader(exchange.req.headers.host);
      sendPage(exchange, (nonce) => graphql.page(nonce, { local }), GRAPHIQL_CSP);
    },

    /** @throws AppError for errors of the whole request: 400, 401, 413, 415, 429 */
    async POST(exchange: Exchange): Promise<void> {
      const principal = await authenticate(exchange);
      const body = await readJsonBody(exchange);
      if (body === undefined) throw missingBody();
      const tenant = await resolveTenant(exchange, {
        principal,
        tenants: services.tenants,
        pathId: undefined,
      });
      const context = createContext({
        requestId: exchange.requestId,
        principal,
        tenant,
        idempotencyKey: idempotencyKeyHeader(exchange),
        services,
        log,
      });
      exchange.throwIfResponded();
      let refusal: unknown;
      const response = await graphql.handle(
        {
          body,
          accept: exchange.req.headers.accept,
          throwIfClosed: () => exchange.throwIfClosed(),
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
      const { status, headers, body: result, isRead } = response;
      if (typeof result !== 'string') await stream(exchange, principal, result);
      else if (isRead) await sendRead(exchange, { status, headers, content: result });
      else sendJson(exchange, { status, headers, json: result });
    },
  };
}

/** Streams server-sent events until they end, the client disconnects or the server stops. */
function streamEvents(exchange: Exchange, events: AsyncIterableIterator<string>): void {
  const { res } = exchange;
  exchange.endStream = () => {
    exchange.endStream = undefined;
    void events.return?.();
  };
  res.writeHead(200, [
    ...DATA_HEADERS,
    'Content-Type',
    'text/event-stream; charset=utf-8',
    // Disables response buffering in nginx and compatible proxies.
    'X-Accel-Buffering',
    'no',
    'X-Request-Id',
    exchange.requestId,
    ...exchange.headers,
  ]);
  res.flushHeaders();
  exchange.streamingSince = performance.now();
  if (res.destroyed || exchange.stopping) exchange.endStream();
  // Destroys the events, which calls their `return()`, when the client disconnects.
  pipeline(Readable.from(events, { objectMode: false, highWaterMark: 1 }), res, () => {});
}
