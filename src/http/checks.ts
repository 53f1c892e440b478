import type {
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onRequestHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
  RouteShorthandOptions,
} from 'fastify';
import { AppError, hasCode } from '../errors/app-error.ts';
import type { Services } from '../features/services.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import { parseJsonBody } from '../platform/http/parse-json-body.ts';
import { requireContentLength } from '../platform/http/read-body.ts';
import type { Authenticate, Authentication, Caller } from './access/authenticate.ts';
import { checkAccess } from './access/check-access.ts';
import { requireOwnPage } from './access/session-cookie.ts';
import { requireSameTarget, resolveTenant } from './access/tenant-resolution.ts';
import type { HttpServerOptions } from './http-server-options.ts';
import { idempotencyKeyHeader } from './idempotency-key.ts';
import { type FindResource, hasEmptyParameter } from './resources.ts';
import { methodNotAllowed, noSuchPath, supportedMethods } from './response/routing-errors.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { forbidScripts } from './response/send-response.ts';
import { TARGET_PARAMETER, TENANT_PARAMETER } from './rest/path-parameters.ts';
import type { Route } from './rest/rest-routes.ts';
import { usesIdempotencyKey, type VariableReader, type Variables } from './rest/route-variables.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticated`. */
    caller: Caller;
    /** Set by `namesTenant`, as `resolveTenant` returns it. */
    tenant: Tenant | AppError | null;
    /** Set by `readsVariables`. */
    variables: Variables;
  }
  interface FastifyContextConfig {
    /** False for what no script of another origin may read (`@fastify/cors`). */
    cors?: false;
    /** True if no other spelling of the path reaches the route. */
    isExact?: boolean;
    /** Headers of every response of the route, by lower-case name. */
    headers?: Readonly<Record<string, string>>;
  }
}

export type RouteChecks = ReturnType<typeof createChecks>;

type Checks = Pick<RouteShorthandOptions, 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'>;

interface CheckOptions {
  authenticate: Authentication;
  outages: HttpServerOptions['outages'];
  services: Pick<Services, 'tenants' | 'audit'>;
}

/**
 * Returns the first checks of every request, for known and unknown paths alike. The checks of its route follow (see
 * `createChecks`).
 */
export const firstChecks = (findResource: FindResource) => ({
  onRequest: [
    hasValidHeaders, // 400, 417
    hasRoute(findResource), // 404, 405; responds to OPTIONS
  ],
  preParsing: [
    hasValidLength, // 413 by the declared length, then `100 Continue`; Fastify measures the body itself
  ],
});

/**
 * Returns the checks of each type of route, in the order of contract 4: the first one that fails determines the
 * response. Fastify runs them by phase: before the body is read, while it is read (413), after it, before the handler.
 * What depends on stored resources (404, 412) is checked by the operation itself.
 */
export function createChecks({ authenticate, outages, services }: CheckOptions) {
  const untilOutage = abortsInOutage(outages);
  const byKey = authenticated(authenticate.byKey);
  const byKeyOrSession = authenticated(authenticate.byKeyOrSession);

  return {
    rest: (route: Route, read: VariableReader): Checks => ({
      onRequest: [
        untilOutage, // 503
        byKey, // 401, 403, 429
        hasAccess(route, services), // 403
      ],
      // A DELETE takes no fields, and refuses those that it gets.
      preValidation:
        route.method === 'GET'
          ? []
          : [
              rechecksKey, // 401
              readsJson, // 415, 400
            ],
      preHandler: [
        namesTenant(services.tenants), // 403 of a deletion, 404, and the 422 of `X-Customer-Id` beside a target in the path
        readsVariables(route, read), // 422, and the 404 of an id that no resource can have
      ],
    }),

    /** @param servePage responds to a request for the page, which needs no key */
    graphqlGet: (servePage: onRequestHookHandler): Checks => ({
      onRequest: [
        untilOutage, // 503
        servePage,
        byKeyOrSession, // 401, 403, 429
      ],
      // The protocol reports the rest.
    }),

    graphqlPost: {
      onRequest: [
        untilOutage, // 503
        byKeyOrSession, // 401, 403, 429
      ],
      preValidation: [
        rechecksKey, // 401
        readsJson, // 415, 400
      ],
    } satisfies Checks,

    sessionStart: {
      onRequest: [
        untilOutage, // 503
        isFromConsole, // 403
        byKey, // 401, 403, 429
      ],
    } satisfies Checks,

    sessionEnd: {
      onRequest: [
        untilOutage, // 503
        isFromConsole, // 403
      ],
    } satisfies Checks,

    /** @param limited counts the request, which needs no key */
    publicRead: (limited: (request: FastifyRequest) => Promise<void>): Checks => ({
      onRequest: [
        untilOutage, // 503
        limited, // 429
      ],
    }),

    /** @param findConnection sets the connection that the token in the path names */
    recorderWebhook: (findConnection: (request: FastifyRequest) => Promise<void>): Checks => ({
      onRequest: [
        untilOutage, // 503
        findConnection, // 404, 403, 429
      ],
      // The service checks the signature of the body (401).
    }),
  };
}

/** Header fields that a request may have only once: of two, a proxy may have read the other. */
const SINGLE = ['Host', 'Authorization'];

/**
 * Checks the header fields that concern every request: a `Host` (HTTP/1.1), one `Host` and one `Authorization` at most,
 * and no expectation but `100-continue`.
 */
function hasValidHeaders({ raw }: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { headers, rawHeaders, httpVersionMinor } = raw;
  const repeated = SINGLE.find((name) => countOf(name, rawHeaders) > 1);
  // HTTP/1.0 has no expectations (RFC 9110 section 10.1.1).
  const expectation = httpVersionMinor > 0 ? headers.expect?.toLowerCase() : undefined;
  if (headers.host === undefined && httpVersionMinor > 0)
    done(new AppError('BAD_REQUEST', 'The Host header is missing.'));
  else if (repeated) done(new AppError('BAD_REQUEST', `The request has more than one ${repeated} header.`));
  else if (expectation !== undefined && expectation !== '100-continue')
    done(
      new AppError(
        'EXPECTATION_FAILED',
        'The only supported expectation is 100-continue; omit the Expect header.',
      ),
    );
  else done();
}

/** Returns the number of fields with a name. The parsed headers contain only the first `Host` and `Authorization`. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] ?? '';
    if (field.length === name.length && field.toLowerCase() === name.toLowerCase()) count += 1;
  }
  return count;
}

function hasRoute(findResource: FindResource): onRequestHookHandler {
  return (request, reply, done) => {
    const { scope, method, params, routeOptions } = request;
    const { url: pattern = '*', config } = routeOptions;
    const isFound =
      !request.is404 &&
      method !== 'OPTIONS' &&
      // Under a wildcard, a more specific path may have other methods.
      !pattern.endsWith('*') &&
      !hasEmptyParameter(params as object) &&
      !(config.isExact && scope.spelledPath !== pattern);
    if (isFound) {
      scope.route = pattern;
      scope.isServed = true;
      Object.assign(scope.headers, config.headers);
      done();
      return;
    }
    const resource = findResource(request.url);
    if (!resource || (resource.isExact && scope.spelledPath !== resource.pattern)) {
      done(noSuchPath());
      return;
    }
    scope.route = resource.pattern;
    if (!resource.isReadable) forbidScripts(reply);
    if (method === 'OPTIONS') {
      scope.isServed = true;
      respondWithMethods(reply, supportedMethods(resource.methods));
    } else if (pattern === resource.pattern) {
      scope.isServed = true;
      done();
    } else done(methodNotAllowed(resource.methods));
  };
}

/** Responds to OPTIONS. A preflight request has its CORS headers by now, with the methods of any path. */
function respondWithMethods(reply: FastifyReply, methods: readonly string[]): void {
  const list = methods.join(', ');
  if (reply.hasHeader('access-control-allow-methods')) reply.header('access-control-allow-methods', list);
  reply.code(204).headers(DATA_HEADERS).header('allow', list).send();
}

const hasValidLength: preParsingHookHandler = (request, reply, _payload, done) => {
  const { method, headers, routeOptions } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    try {
      requireContentLength(headers, routeOptions.bodyLimit);
    } catch (error) {
      done(error as AppError);
      return;
    }
    if (headers.expect !== undefined) reply.raw.writeContinue();
  }
  done();
};

/** Aborts requests that wait for an unavailable database, with a 503; streams wait for it (contract 4). */
function abortsInOutage({ guard }: CheckOptions['outages']): onRequestHookHandler {
  return ({ scope }, reply, done) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scope.onClose(resolve);
    guard(() => promise).catch((error: Error) => {
      if (scope.isResponding) return;
      scope.abort(error);
      reply.send(error);
    });
    done();
  };
}

function authenticated(authenticate: Authenticate) {
  return async (request: FastifyRequest): Promise<void> => {
    request.caller = await authenticate(request.scope);
    request.scope.keyId = request.caller.principal.keyId;
  };
}

const hasAccess =
  (route: Route, services: Pick<Services, 'audit'>): onRequestHookHandler =>
  ({ caller }, _reply, done) => {
    const forbidden = checkAccess(caller, route, services);
    if (forbidden) done(forbidden);
    else done();
  };

const isFromConsole: onRequestHookHandler = ({ raw }, _reply, done) => {
  try {
    requireOwnPage(raw);
    done();
  } catch (error) {
    done(error as AppError);
  }
};

/**
 * Checks the API key again unless the whole request preceded the first check: a client may send the body long after the
 * headers, and a revocation between the two holds for the request (contract 3).
 */
async function rechecksKey({ caller }: FastifyRequest): Promise<void> {
  if (!caller.isReceivedBeforeKey) await caller.recheck();
}

const NO_BODY = new Uint8Array();

/** Replaces the bytes of the body with its JSON; undefined if it is empty. */
async function readsJson(request: FastifyRequest): Promise<void> {
  request.body = parseJsonBody(request.headers, (request.body as Buffer | undefined) ?? NO_BODY);
}

function namesTenant(tenants: Services['tenants']) {
  return async (request: FastifyRequest): Promise<void> => {
    const { scope, caller, params } = request;
    const { [TENANT_PARAMETER]: pathId, [TARGET_PARAMETER]: target } = params as Record<
      string,
      string | undefined
    >;
    if (target !== undefined) {
      requireSameTarget(scope, target);
      request.tenant = null;
      return;
    }
    request.tenant = await resolveTenant(scope, { principal: caller.principal, tenants, pathId });
    if (hasCode(request.tenant, 'NOT_FOUND') || hasCode(request.tenant, 'CUSTOMER_SUSPENDED'))
      throw request.tenant;
  };
}

const readsVariables =
  (route: Route, read: VariableReader): preHandlerHookHandler =>
  (request, _reply, done) => {
    const { scope, params, body } = request;
    try {
      request.variables = read({
        parameters: params as Record<string, string>,
        query: scope.query,
        body,
        idempotencyKey: usesIdempotencyKey(route) ? idempotencyKeyHeader(scope) : null,
      });
      done();
    } catch (error) {
      done(error as AppError);
    }
  };
