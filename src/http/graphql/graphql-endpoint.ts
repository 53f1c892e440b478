import { setImmediate } from 'node:timers/promises';
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { createLRUCache, createYoga, type Plugin } from 'graphql-yoga';
import { z } from 'zod';
import type { GraphQLContext } from '../../../schema/context.ts';
import { AppError } from '../../errors/app-error.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { missingScope } from '../../features/tenants/scopes.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../../platform/bounded-reads.ts';
import { jsonBytes } from '../../platform/json-size.ts';
import type { TenantTurns } from '../access/tenant-turns.ts';
import type { Asset } from '../pages/static-assets.ts';
import { compiledExecutor } from './compiled-executor.ts';
import { checkCost, DOCUMENT_LIMITS, documentLimitError, parseBounded } from './document-limits.ts';
import { fieldAliasesError } from './field-aliases.ts';
import { formatErrors } from './format-error.ts';
import { graphiqlPage } from './graphiql-page.ts';
import { checkVariables } from './operation-variables.ts';
import { forbiddenFields, type RootField, rootFieldsOf } from './root-fields.ts';
import { serverSentEvents } from './server-sent-events.ts';

/** An authenticated POST /graphql with a parsed body: 401, 413, 415 and invalid JSON (400) are already handled. */
export interface GraphQLRequest {
  body: unknown;
  /** `Accept` header; a subscription requires `text/event-stream` in it. */
  accept: string | undefined;
  /** Called before an operation that had to wait begins; throws if its client has disconnected. */
  throwIfClosed?(): void;
}

export interface GraphQLResponse {
  /** 200, or 400 for an invalid document. */
  status: number;
  /** Alternating names and values (`Idempotent-Replayed`). */
  headers: readonly string[];
  /**
   * A string is complete JSON. An iterator yields server-sent events (`text/event-stream`), each to be sent
   * immediately; the caller calls `return()` when the client disconnects or the server stops. It never throws.
   */
  body: string | AsyncIterableIterator<string>;
}

export interface GraphQLEndpoint {
  /** Executes an operation; never rejects. */
  handle(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse>;
  /**
   * Renders the public GraphiQL page of GET /graphql; its CSP requires the nonce and `GRAPHIQL_CSP`.
   * @param options.local the request names this machine: the demo key, if there is one, is prefilled
   */
  page(nonce: string, options: { local: boolean }): string;
  /** Public files of the page. */
  assets: readonly Asset[];
}

export interface GraphQLOptions {
  /** The `graphql` sub-graph. */
  schema: GraphQLSchema;
  turns: TenantTurns;
  /** Prefilled in GraphiQL; null or absent outside of embedded mode on loopback (contract 1). */
  demoReadKey?: string | null;
}

/** Members of a request body (GraphQL over HTTP). */
const requestParams = z.strictObject({
  query: z
    .string('Must be a string.')
    .max(DOCUMENT_LIMITS.characters, `Must be at most ${DOCUMENT_LIMITS.characters} characters long.`),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** Number of parsed and validated documents kept in memory. */
const MAX_CACHED_DOCUMENTS = 200;

/** Cost of a large read, about the size of its response in KiB. */
const LARGE_COST = 100;

const badRequest = (message: string) => new AppError('BAD_REQUEST', message);

/** Creates the GraphQL endpoint (contract 12): Yoga's engine with document limits and the error format of contract 4. */
export function createGraphQL({ schema, turns, demoReadKey = null }: GraphQLOptions): GraphQLEndpoint {
  const yoga = createYoga<Record<string, never>, GraphQLContext>({
    schema,
    plugins: [limitsPlugin, compilationPlugin(schema)],
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: MAX_CACHED_DOCUMENTS }),
      errorCache: createLRUCache({ max: 50 }),
    },
    // HTTP is handled by this server, not by Yoga.
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    healthCheckEndpoint: '/graphql/unused-health-check',
  });

  /** @throws AppError, GraphQLError or an AggregateError of those if the operation cannot be executed */
  async function respond(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse> {
    const { body, accept } = request;
    const { query, operationName, variables } = readParams(body);
    const enveloped = yoga.getEnveloped(context);
    const document = enveloped.parse(query);
    const errors = enveloped.validate(schema, document);
    if (errors.length > 0) throw new AggregateError(errors);
    const operation = getOperationAST(document, operationName);
    if (!operation) throw badRequest('`operationName` must name an operation in the document.');
    const rootFields = rootFieldsOf({ schema, document, operation, variables });
    const forbidden = forbiddenResult(rootFields, context);
    if (forbidden) return jsonResponse(forbidden, context);
    checkVariables({ schema, operation, rootFields, variables });
    const cost = checkCost({ schema, document, operation, variables });
    const contextValue = await enveloped.contextFactory();
    const args: ExecutionArgs = { schema, document, contextValue, variableValues: variables, operationName };
    if (operation.operation !== 'subscription') {
      if (cost <= LARGE_COST) return jsonResponse(await executeBounded(operation, enveloped, args), context);
      context.reads.oneAtATime();
      return turns.run(context.principal, async () => {
        request.throwIfClosed?.();
        const result = await executeBounded(operation, enveloped, args);
        // Requests that arrived meanwhile are served before this one is serialized.
        await setImmediate();
        return jsonResponse(result, context);
      });
    }
    if (!/\btext\/event-stream\b/i.test(accept ?? '')) {
      throw badRequest('A subscription requires the header `Accept: text/event-stream`.');
    }
    const result = await enveloped.subscribe(args);
    if (!(Symbol.asyncIterator in result)) return jsonResponse(result, context);
    const formatEvent = (event: ExecutionResult) => {
      context.reads.reset();
      return formatResult(event, context);
    };
    const formatFailure = (error: unknown) => ({ errors: formatErrors([error], context) });
    return { status: 200, headers: [], body: serverSentEvents(result, formatEvent, formatFailure) };
  }

  async function handle(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse> {
    try {
      return await respond(request, context);
    } catch (error) {
      const errors = formatErrors(error instanceof AggregateError ? error.errors : [error], context);
      const isBadRequest = errors.some(({ extensions }) => extensions?.code === 'BAD_REQUEST');
      return { status: isBadRequest ? 400 : 200, headers: [], body: JSON.stringify({ errors }) };
    }
  }

  return { handle, ...graphiqlPage({ demoReadKey }) };
}

/** Executes a query or mutation. @throws AppError BAD_REQUEST if the response to a query is too large */
async function executeBounded(
  { operation }: OperationDefinitionNode,
  { execute }: { execute(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> },
  args: ExecutionArgs,
): Promise<ExecutionResult> {
  const result = await execute(args);
  const { reads } = args.contextValue as GraphQLContext;
  const fits = jsonBytes(result.data, MAX_RESPONSE_BYTES) <= MAX_RESPONSE_BYTES;
  if (operation === 'query') {
    if (!fits || reads.exceeded) throw responseTooLarge();
    return result;
  }
  // A mutation has been executed: the response cannot be a rejection.
  return fits ? result : { data: null, errors: [toGraphQLError(responseTooLarge())] };
}

const formatResult = ({ data, errors }: ExecutionResult, context: GraphQLContext) =>
  errors ? { errors: formatErrors(errors, context), data } : { data };

function jsonResponse(result: ExecutionResult, context: GraphQLContext): GraphQLResponse {
  const headers = [...Object.entries(context.responseHeaders).flat(), ...retryAfterHeader(result.errors)];
  return { status: 200, headers, body: JSON.stringify(formatResult(result, context)) };
}

/** Returns `Retry-After` if the limit of an operation was exceeded; the message contains the seconds as well. */
function retryAfterHeader(errors: readonly unknown[] = []): string[] {
  const seconds = errors.map((error) => toAppError(error).retryAfter ?? 0);
  const longest = Math.max(0, ...seconds);
  return longest > 0 ? ['Retry-After', String(longest)] : [];
}

function readParams(body: unknown) {
  if (Array.isArray(body))
    throw badRequest('Batched operations are not supported; send one operation per request.');
  const { data, error } = requestParams.safeParse(body);
  if (error) {
    const { details } = toAppError(error);
    throw new AppError(
      'BAD_REQUEST',
      'The request body must be a JSON object with `query` and, optionally, `operationName`, `variables` and `extensions`.',
      {
        details,
      },
    );
  }
  return { ...data, variables: data.variables ?? {} };
}

const toGraphQLError = (originalError: AppError): GraphQLError =>
  new GraphQLError(originalError.message, { originalError });

/** Returns the response to an operation with root fields that the key may not call; null if it may call them all. */
function forbiddenResult(
  rootFields: readonly RootField[],
  { principal }: GraphQLContext,
): ExecutionResult | null {
  const errors = forbiddenFields(rootFields, principal.scope).map(({ node, scope }) => {
    const originalError = missingScope(scope);
    const path = [(node.alias ?? node.name).value];
    return new GraphQLError(originalError.message, { nodes: node, path, originalError });
  });
  return errors.length > 0 ? { data: null, errors } : null;
}

/** Enforces limits before a document is parsed and before it is validated. Yoga caches their errors. */
const limitsPlugin: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ validateFn, setValidationFn }) {
    setValidationFn((schema, document, ...rest) => {
      const limitError = documentLimitError(document);
      if (limitError) return [limitError];
      const errors = validateFn(schema, document, ...rest);
      if (errors.length > 0) return errors;
      const aliasesError = fieldAliasesError(document);
      return aliasesError ? [aliasesError] : [];
    });
  },
};

function compilationPlugin(schema: GraphQLSchema): Plugin {
  let execute: ReturnType<typeof compiledExecutor> | undefined;
  return {
    onExecute({ executeFn, setExecuteFn }) {
      execute ??= compiledExecutor(schema, executeFn);
      setExecuteFn(execute);
    },
  };
}
