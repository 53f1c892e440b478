import { setImmediate } from 'node:timers/promises';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  isNonNullType,
  type OperationDefinitionNode,
} from 'graphql';
import { createLRUCache, createYoga, type Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { DocumentPolicy } from '../../config/config.ts';
import { AppError, hasCode } from '../../errors/app-error.ts';
import { mayHaveChanged } from '../../errors/to-app-error.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../../limits/bounded-reads.ts';
import type { TenantTurns } from '../../limits/tenant-turns.ts';
import { jsonBytes } from '../../platform/json-size.ts';
import { commitsOnce, executeOnce } from '../idempotent-execution.ts';
import type { Asset } from '../pages/static-assets.ts';
import { compiledExecutor } from './compiled-executor.ts';
import { checkCost, documentLimitError, parseBounded } from './document-limits.ts';
import { fieldAliasesError } from './field-aliases.ts';
import { GRAPHIQL, GRAPHIQL_NOTICE, type GraphiQLOptions } from './graphiql-page.ts';
import { refusalOf, toGraphQLError } from './operation-refusals.ts';
import {
  failureResponse,
  type GraphQLResponse,
  resultResponse,
  subscriptionResponse,
} from './operation-response.ts';
import { checkVariables } from './operation-variables.ts';
import { readParameters } from './request-parameters.ts';
import { acceptedTypes, EVENT_STREAM_TYPE, type ResponseType } from './response-types.ts';
import { type RootField, rootFieldsOf } from './root-fields.ts';
import { documentText } from './trusted-documents.ts';

/** An authenticated request of an operation: 401, 413, 415 and invalid JSON (400) are already handled. */
export interface GraphQLRequest {
  /** Parameters as sent, in the body or the URL. */
  body: unknown;
  /** `Accept` header; a subscription requires `text/event-stream` in it. */
  accept: string | undefined;
  /** True for GET, which never executes a mutation. */
  isSafe?: boolean;
  /** Waits until the process has the memory for a large read; never rejects. */
  reserve?(responseBytes: number): Promise<void>;
  /** Called before an operation begins that takes more than one point; throws if the quota of the API key does not suffice. */
  charge?(points: number): Promise<void>;
}

export interface GraphQLEndpoint {
  /** Executes an operation. Rejects only if its request is aborted, with the reason. */
  handle(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse>;
  /**
   * Renders the public GraphiQL page of GET /graphql; its CSP requires the nonce and `GRAPHIQL_CSP`.
   */
  page(nonce: string, options: GraphiQLOptions): string;
  /** Public files of the page. */
  assets: readonly Asset[];
}

export interface GraphQLOptions {
  /** The `graphql` sub-graph. */
  schema: GraphQLSchema;
  turns: TenantTurns;
  /** Default: `any`. */
  documents?: DocumentPolicy;
}

/** Number of parsed and validated documents kept in memory. */
const MAX_CACHED_DOCUMENTS = 200;

/** Size of a response by its cost. */
const BYTES_PER_COST = 1_024;
/** Cost of a large read. */
const LARGE_COST = 100;

/** Cost of an operation that takes one point from the quota of the API key: a page of 50 rows takes a few. */
const COST_PER_POINT = 100;

const badRequest = (message: string) => new AppError('BAD_REQUEST', message);

/** Creates the GraphQL endpoint (contract 12): Yoga's engine with document limits and the error format of contract 4. */
export function createGraphQL(options: GraphQLOptions): GraphQLEndpoint {
  const { schema, turns, documents = 'any' } = options;
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

  async function handle(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse> {
    const accepted = acceptedTypes(request.accept);
    let type: ResponseType = accepted.json;
    try {
      const parameters = readParameters(request.body);
      const { operationName, variables } = parameters;
      const query = documentText(parameters, documents);
      type = accepted.result;
      const enveloped = yoga.getEnveloped(context);
      const document = enveloped.parse(query);
      const errors = enveloped.validate(schema, document);
      if (errors.length > 0) throw new AggregateError(errors);
      const operation = getOperationAST(document, operationName);
      if (!operation) throw badRequest('`operationName` must name an operation in the document.');
      if (operation.operation === 'subscription' && accepted.events) type = EVENT_STREAM_TYPE;
      checkMethod(operation, { isSafe: request.isSafe === true, events: accepted.events });
      const rootFields = rootFieldsOf({ schema, document, operation, variables });
      const refused = refusalOf(rootFields, context);
      if (refused) return resultResponse(type, refused, context);
      checkVariables({ schema, operation, rootFields, variables, services: context.services });
      const cost = checkCost({ schema, document, operation, variables });
      if (cost > COST_PER_POINT) await request.charge?.(Math.ceil(cost / COST_PER_POINT) - 1);
      const contextValue = await enveloped.contextFactory();
      const args: ExecutionArgs = {
        schema,
        document,
        contextValue,
        variableValues: variables,
        operationName,
      };
      if (operation.operation === 'subscription') {
        const result = await enveloped.subscribe(args);
        return Symbol.asyncIterator in result
          ? subscriptionResponse(result, contextValue)
          : resultResponse(type, result, context);
      }
      const isRead = operation.operation === 'query';
      const execute = () => executeBounded(operation, enveloped, args);
      const run = () =>
        operation.operation === 'mutation'
          ? context.services.guardWrite(() =>
              mutateOnce({ context, rootFields, input: { query, operationName, variables }, execute }),
            )
          : execute();
      if (cost <= LARGE_COST) return { ...resultResponse(type, await run(), context), isRead };
      context.reads.spread();
      const read = async () => {
        context.signal.throwIfAborted();
        const result = await run();
        // Requests that arrived meanwhile are served before this one is serialized.
        await setImmediate();
        return { ...resultResponse(type, result, context), isRead };
      };
      const responseBytes = Math.min(cost * BYTES_PER_COST, MAX_RESPONSE_BYTES);
      return await turns.run(context.principal, read, {
        prepare: async () => request.reserve?.(responseBytes),
      });
    } catch (error) {
      context.signal.throwIfAborted();
      // The method is refused by HTTP, whatever the protocol of the results.
      const isRefused = hasCode(error, 'METHOD_NOT_ALLOWED');
      return failureResponse(isRefused ? accepted.json : type, error, context);
    }
  }

  return { handle, ...(documents === 'any' ? GRAPHIQL : GRAPHIQL_NOTICE) };
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

interface Mutation {
  context: GraphQLContext;
  rootFields: readonly RootField[];
  /** Values that a repetition shares with the first request. */
  input: unknown;
  execute(): Promise<ExecutionResult>;
}

/** Executes a mutation, or replays the result of an earlier request with the same `Idempotency-Key`. */
async function mutateOnce({ context, rootFields, input, execute }: Mutation): Promise<ExecutionResult> {
  const operation = {
    route: 'POST /graphql',
    input,
    // Several fields are several commits.
    commitsOnce: rootFields.length === 1 && rootFields.every(({ field }) => commitsOnce(field)),
  };
  try {
    return await executeOnce(context, operation, async () => {
      const value = await execute();
      return { value, isSuccess: value.errors === undefined, mayHaveChanged: hasChanged(value, rootFields) };
    });
  } catch (error) {
    if (error instanceof AppError) return { data: null, errors: [toGraphQLError(error)] };
    throw error;
  }
}

/**
 * Returns true if a field of a mutation has made changes, or may have. Fields are executed one after another, until one
 * that is not nullable fails; a field that fails by itself has changed nothing, unless the database failed.
 */
function hasChanged({ data, errors = [] }: ExecutionResult, rootFields: readonly RootField[]): boolean {
  if (data === undefined) return false;
  const failures = new Map(
    errors.flatMap((error) => (error.path?.length === 1 ? [[error.path[0], error]] : [])),
  );
  for (const { node, field } of rootFields) {
    const failure = failures.get((node.alias ?? node.name).value);
    if (!failure || mayHaveChanged(failure)) return true;
    if (isNonNullType(field.type)) return false;
  }
  return false;
}

/**
 * Checks that the request may execute the type of operation.
 * @throws AppError METHOD_NOT_ALLOWED, BAD_REQUEST
 */
function checkMethod(
  { operation }: OperationDefinitionNode,
  { isSafe, events }: { isSafe: boolean; events: boolean },
): void {
  if (isSafe && (operation === 'mutation' || (operation === 'subscription' && !events))) {
    throw new AppError(
      'METHOD_NOT_ALLOWED',
      'A GET request executes queries, and subscriptions with the header `Accept: text/event-stream`; send other operations by POST.',
      { allow: ['POST'] },
    );
  }
  if (operation === 'subscription' && !events) {
    throw badRequest('A subscription requires the header `Accept: text/event-stream`.');
  }
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
