import { type GraphQLSchema, getOperationAST } from 'graphql';
import { createLRUCache, createYoga } from 'graphql-yoga';
import type { GraphQLContext } from '../../../schema/context.ts';
import type { DocumentPolicy } from '../../config/config.ts';
import { hasCode } from '../../errors/app-error.ts';
import type { TenantTurns } from '../../limits/tenant-turns.ts';
import type { Asset } from '../pages/static-assets.ts';
import { acceptedTypes } from '../response/response-types.ts';
import { useAccess } from './access.ts';
import { useCompiledQueries } from './compiled-executor.ts';
import { useCost, useDocumentLimits } from './document-limits.ts';
import { GRAPHIQL, GRAPHIQL_NOTICE, type GraphiQLOptions } from './graphiql-page.ts';
import { useIdempotency } from './idempotent-mutations.ts';
import { useResponseSize, useTurns } from './large-responses.ts';
import { type OperationContext, type OperationRequest, useOperation } from './operation.ts';
import {
  failureResponse,
  type GraphQLResponse,
  resultResponse,
  subscriptionResponse,
} from './operation-response.ts';
import { useVariableCheck } from './operation-variables.ts';
import { type RequestParameters, readParameters } from './request-parameters.ts';
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

type OperationParameters = Pick<RequestParameters, 'operationName' | 'variables'> & { query: string };

/** Number of parsed and validated documents kept in memory. */
const MAX_CACHED_DOCUMENTS = 200;

/** Creates the GraphQL endpoint (contract 12). Yoga parses, validates and executes; its plugins are the pipeline, in order. */
export function createGraphQL(options: GraphQLOptions): GraphQLEndpoint {
  const { schema, turns, documents = 'any' } = options;
  const yoga = createYoga<Record<string, never>, OperationContext>({
    schema,
    plugins: [
      useDocumentLimits(),
      useOperation(),
      useAccess(),
      useVariableCheck(),
      useCost(),
      // From here on, each plugin wraps the execution of the plugins above it.
      useCompiledQueries(schema),
      useResponseSize(),
      useIdempotency(),
      useTurns(turns),
    ],
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: MAX_CACHED_DOCUMENTS }),
      errorCache: createLRUCache({ max: 50 }),
    },
    // HTTP is handled by this server, not by Yoga (ADR 15).
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    healthCheckEndpoint: '/graphql/unused-health-check',
  });

  /** @throws AppError or AggregateError if the operation is not executed */
  async function execute(
    parameters: OperationParameters,
    context: OperationContext,
  ): Promise<GraphQLResponse> {
    const { query, operationName, variables } = parameters;
    const enveloped = yoga.getEnveloped(context);
    const document = enveloped.parse(query);
    const errors = enveloped.validate(schema, document);
    if (errors.length > 0) throw new AggregateError(errors);
    const contextValue = await enveloped.contextFactory();
    const args = { schema, document, contextValue, variableValues: variables, operationName };
    const isSubscription = getOperationAST(document, operationName)?.operation === 'subscription';
    const result = await (isSubscription ? enveloped.subscribe(args) : enveloped.execute(args));
    const { type, isRead } = context.http;
    if (Symbol.asyncIterator in result) return subscriptionResponse(result, context);
    return { ...resultResponse(type, result, context), isRead };
  }

  async function handle(request: GraphQLRequest, context: GraphQLContext): Promise<GraphQLResponse> {
    const { body, accept, isSafe = false, reserve, charge } = request;
    const accepted = acceptedTypes(accept);
    let http: OperationRequest | undefined;
    try {
      const parameters = readParameters(body);
      const query = documentText(parameters, documents);
      const { result: type, events: acceptsEvents } = accepted;
      http = { query, isSafe, acceptsEvents, type, isRead: false, reserve, charge };
      // The same object: execution sets its revision and its idempotent commit.
      return await execute({ ...parameters, query }, Object.assign(context, { http }) as OperationContext);
    } catch (error) {
      context.signal.throwIfAborted();
      // 405 is an error of HTTP, not of GraphQL: its media type does not depend on the one negotiated for results.
      const isRefused = hasCode(error, 'METHOD_NOT_ALLOWED');
      return failureResponse(http && !isRefused ? http.type : accepted.json, error, context);
    }
  }

  return { handle, ...(documents === 'any' ? GRAPHIQL : GRAPHIQL_NOTICE) };
}
