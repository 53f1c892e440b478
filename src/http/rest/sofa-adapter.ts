import type { GraphQLSchema } from 'graphql';
import { useSofa } from 'sofa-api';
import type { GraphQLContext } from '../../../schema/context.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { AppError } from '../../errors.ts';
import type { Route } from './rest-routes.ts';
import { compiledExecute } from './route-executor.ts';
import type { Variables } from './route-variables.ts';

/** What a request brings: read and checked before Sofa hears of it. */
interface Call {
  context: GraphQLContext;
  variables: Variables;
}

/** A successful answer: its status, and its JSON as text. */
interface Answer {
  status: number;
  json: string;
}

/** Sofa, with everything around its handlers cut off. */
export interface SofaMount {
  /** Compiles the way to a route's handler. It throws AppError, whatever went wrong. */
  handlerOf(route: Route): (call: Call) => Promise<Answer>;
  /** The OpenAPI document that Sofa made of the schema; `openapi/` repairs it. */
  document: unknown;
}

type SofaResponse = ReturnType<NonNullable<Parameters<typeof useSofa>[0]['errorHandler']>>;

const NO_HEADERS = new Headers();

/**
 * A request of our own making: no body, no headers, and an address in which every parameter is 1.
 * Nothing that a client sends is read by Sofa's lenient parsers; what it meant is in `call`.
 */
class SofaRequest {
  readonly method: string;
  readonly url: string;
  readonly headers = NO_HEADERS;
  readonly body = null;
  readonly call: Call;

  constructor(method: string, url: string, call: Call) {
    this.method = method;
    this.url = url;
    this.call = call;
  }
}

function callOf(request: unknown): Call {
  if (request instanceof SofaRequest) return request.call;
  throw new Error('A request came to Sofa that did not pass the checks.');
}

/** Sofa generates the operations and their documents, and serves them; what each route's call is comes from outside. */
export function mountSofa(schema: GraphQLSchema, base: string, routes: readonly Route[]): SofaMount {
  const execute = compiledExecute(schema);
  const failures = new WeakMap<Response, AppError>();
  const router = useSofa({
    basePath: base,
    schema,
    // No type is a "model": nested objects are answered whole, not as their id.
    ignore: Object.keys(schema.getTypeMap()),
    routes: Object.fromEntries(
      routes.map(({ fieldId, method, path, responseStatus = 200, tag, summary }) => [
        fieldId,
        { method, path, responseStatus: responseStatus as 200, tags: [tag], description: summary },
      ]),
    ),
    // One endpoint has to be on or Sofa collects no paths. Nobody gets there: only matched routes are passed on.
    openAPI: { endpoint: '/openapi.json' },
    swaggerUI: { endpoint: false },
    context: ({ request }) => request,
    execute: ({ document, contextValue }) => {
      const { context, variables } = callOf(contextValue);
      return execute(document, context, variables);
    },
    errorHandler([error]) {
      const response = new Response(null, { status: 500 });
      failures.set(response, toAppError(error));
      // The same object as far as Sofa uses it; its types want a narrower one.
      return response as unknown as SofaResponse;
    },
  });
  const { handle } = router;

  return {
    document: router.openAPIDocument,
    handlerOf({ method, pattern }) {
      const url = `http://localhost${pattern.replaceAll(/:[^/]+/g, '1')}`;
      return async (call) => {
        const response = await handle(new SofaRequest(method, url, call));
        const failure = failures.get(response);
        if (failure) throw failure;
        const json = await response.text();
        // A nullable field that found nothing.
        if (json === 'null') throw new AppError('NOT_FOUND', 'There is nothing with that id.');
        return { status: response.status, json };
      };
    },
  };
}
