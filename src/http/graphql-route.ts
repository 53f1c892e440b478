import { once } from 'node:events';
import { AppError } from '../errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Services } from '../services.ts';
import { sendJson, sendPage } from './answer.ts';
import type { Authenticate } from './auth.ts';
import { readJsonBody } from './body.ts';
import { createContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { GRAPHIQL_CSP } from './graphql/graphiql.ts';
import type { GraphQLEndpoint } from './graphql.ts';
import { IDEMPOTENCY_KEY } from './rest/variables.ts';
import { DATA_HEADERS } from './security-headers.ts';
import { resolveTenant } from './tenancy.ts';

export interface GraphQLRouteOptions {
  graphql: GraphQLEndpoint;
  authenticate: Authenticate;
  services: Services;
  log: Logger;
}

/** `/graphql` (contract 12): GET is the GraphiQL page and nothing else, POST an operation. */
export function graphqlRoute(options: GraphQLRouteOptions) {
  const { graphql, authenticate, services } = options;
  return {
    GET(x: Exchange): void {
      sendPage(x, graphql.page, GRAPHIQL_CSP);
    },

    /** @throws AppError for what concerns the whole request: 400, 401, 413, 415, 429 */
    async POST(x: Exchange): Promise<void> {
      const principal = await authenticate(x);
      const body = await readJsonBody(x);
      if (body === undefined) throw new AppError('BAD_REQUEST', 'A JSON body is expected.');
      const tenant = await resolveTenant(x, principal, services.tenants, undefined);
      const context = createContext(x, principal, tenant, options, idempotencyKey(x));
      const answer = await graphql.handle({ body, accept: x.req.headers.accept }, context);
      if (typeof answer.body === 'string') sendJson(x, answer.status, answer.body, answer.headers);
      else await stream(x, answer.status, answer.headers, answer.body);
    },
  };
}

/** For `recordEvent`, which does what `POST /v1/events` does. */
function idempotencyKey({ req }: Exchange): string | null {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new AppError('BAD_REQUEST', 'Idempotency-Key must have 1 to 255 printable ASCII characters.');
}

/** Writes server-sent events as they come, until they end, the client goes away or the server stops. */
async function stream(
  x: Exchange,
  status: number,
  headers: readonly string[],
  events: AsyncIterableIterator<string>,
): Promise<void> {
  const { res } = x;
  x.endStream = () => {
    x.endStream = undefined;
    void events.return?.();
  };
  res.once('close', () => x.endStream?.());
  res.writeHead(status, [
    ...DATA_HEADERS,
    'Content-Type',
    'text/event-stream; charset=utf-8',
    // Tells nginx and its kind not to hold events back.
    'X-Accel-Buffering',
    'no',
    'X-Request-Id',
    x.requestId,
    ...headers,
    ...x.headers,
  ]);
  res.flushHeaders();
  x.streamingSince = performance.now();
  if (res.destroyed || x.stopping) x.endStream?.();
  for await (const event of events) {
    if (!res.write(event) && !res.destroyed) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  res.end();
}
