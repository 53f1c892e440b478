import type { GraphQLSchema } from 'graphql';
import type { Mount } from '../../schema/rest-route.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Services } from '../services.ts';
import { sendJson } from './answer.ts';
import { type Authenticate, requireScope } from './auth.ts';
import { readJsonBody } from './body.ts';
import { createContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { MOUNT_BASE } from './mounts.ts';
import { TENANT_PARAMETER } from './rest/path.ts';
import { collectRoutes, compileMatcher, type Route } from './rest/routes.ts';
import { mountSofa } from './rest/sofa.ts';
import { heedsIdempotencyKey, takesBody, variableReader } from './rest/variables.ts';
import { resolveTenant } from './tenancy.ts';

export interface RestOptions {
  /** The sub-graph; each of its root fields is one route. */
  schema: GraphQLSchema;
  mount: Mount;
  authenticate: Authenticate;
  services: Services;
  log: Logger;
}

export interface RestMount {
  mount: Mount;
  base: string;
  routes: Route[];
  /** Sofa's own OpenAPI document. */
  document: unknown;
  /** Serves a request below the base path. @throws AppError */
  handle(x: Exchange): Promise<void>;
}

/**
 * Projects a sub-graph as REST. The checks come in the contract's order (section 4):
 * 404 and 405 of the address, 401, 403, 413, 415, 400, the tenant's 404, 422, the resource's 404.
 */
export function mountRest(options: RestOptions): RestMount {
  const { schema, mount, authenticate, services } = options;
  const base = MOUNT_BASE[mount];
  const routes = collectRoutes(schema, mount, base);
  const match = compileMatcher(routes);
  const sofa = mountSofa(schema, base, routes);
  const compiled = new Map(
    routes.map((route) => [route, { readVariables: variableReader(route), serve: sofa.handlerOf(route) }]),
  );

  async function handle(x: Exchange): Promise<void> {
    const found = match(x.path);
    if (!found) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
    const { resource, parameters } = found;
    x.route = resource.pattern;
    const route = resource.methods.get(x.method);
    const steps = route && compiled.get(route);
    if (!steps) {
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        'This address does not take that method; the header Allow names those that it takes.',
        {
          allow: [...resource.methods.keys()],
        },
      );
    }
    const principal = await authenticate(x);
    requireScope(principal, route.scope);
    const body = takesBody(route) ? await readJsonBody(x) : undefined;
    const tenant = await resolveTenant(x, principal, services.tenants, parameters[TENANT_PARAMETER]);
    if (tenant instanceof AppError && tenant.code === 'NOT_FOUND') throw tenant;
    const idempotencyKey = heedsIdempotencyKey(route) ? x.req.headers['idempotency-key'] : undefined;
    const given = typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
    const variables = steps.readVariables({ parameters, query: x.query, body, idempotencyKey: given });
    const context = createContext(x, principal, tenant, options, given);
    const { status, json } = await steps.serve({ context, variables }).catch((error: unknown) => {
      throw asClientSeesIt(error, route);
    });
    for (const name in context.responseHeaders) x.headers.push(name, context.responseHeaders[name] ?? '');
    sendJson(x, status, json);
  }

  return { mount, base, routes, document: sofa.document, handle };
}

/** Fields of a body are named as they stand in it, not as parts of the argument that takes it. */
function asClientSeesIt(error: unknown, { body }: Route): unknown {
  if (!(error instanceof AppError) || !error.details || !body) return error;
  const prefix = `${body}.`;
  const details = error.details.map(({ path, message }) => ({
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    message,
  }));
  return new AppError(error.code, error.message, { details, cause: error.cause });
}
