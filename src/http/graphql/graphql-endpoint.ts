import { type ExecutionArgs, type ExecutionResult, type GraphQLSchema, getOperationAST } from 'graphql';
import { createLRUCache, createYoga, type Plugin } from 'graphql-yoga';
import { z } from 'zod';
import type { GraphQLContext } from '../../../schema/context.ts';
import { formatError, toAppError } from '../../errors/to-app-error.ts';
import { AppError } from '../../errors.ts';
import { compiledExecutor } from './compiled-executor.ts';
import { checkCost, documentExcess, LIMITS, parseBounded } from './document-limits.ts';
import { type GraphiQL, type GraphiQLAsset, graphiql } from './graphiql-page.ts';
import { variablesError } from './operation-variables.ts';
import { eventStream } from './server-sent-events.ts';

/** A POST /graphql whose caller is known and whose body was read: 401, 413, 415 and text that is no JSON (400) are behind it. */
export interface GraphQLCall {
  /** The parsed JSON body, whatever it is. */
  body: unknown;
  /** `Accept` header; a subscription needs `text/event-stream` in it. */
  accept: string | undefined;
}

export interface GraphQLAnswer {
  /** 200, or 400 for a document that cannot be read. */
  status: number;
  /** Names and values in turn (`Idempotent-Replayed`), beside those of every answer. */
  headers: readonly string[];
  /**
   * A string: the whole answer, `application/json; charset=utf-8`.
   * Else an endless answer, `text/event-stream` (no-cache, unbuffered), each chunk to be written as soon as it comes;
   * call `return()` when the client goes away or the server stops, and it ends at once. It never throws.
   */
  body: string | AsyncIterableIterator<string>;
}

export interface GraphQLEndpoint {
  /** Answers an operation; never rejects. */
  handle(call: GraphQLCall, context: GraphQLContext): Promise<GraphQLAnswer>;
  /** The GraphiQL page of GET /graphql, for anybody. Its CSP needs `GRAPHIQL_CSP` beside the nonce. */
  page: GraphiQL['page'];
  /** Files that the page loads, to be served for anybody under their `path` as immutable; megabytes, so packed. */
  assets: readonly GraphiQLAsset[];
}

export interface GraphQLOptions {
  /** The `graphql` sub-graph. */
  schema: GraphQLSchema;
  /** Filled into GraphiQL; embedded mode on loopback only (contract 1). */
  demoReadKey?: string | null;
}

/** What a body may have (GraphQL over HTTP). */
const params = z.strictObject({
  query: z
    .string('Must be a string.')
    .max(LIMITS.characters, `Must be at most ${LIMITS.characters} characters long.`),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** How many documents are kept parsed and validated. */
const DOCUMENTS = 200;

const badRequest = (message: string) => new AppError('BAD_REQUEST', message);

/** `/graphql` (contract 12): Yoga's engine, within limits, with errors and statuses as contract 4 has them. */
export function createGraphQL({ schema, demoReadKey = null }: GraphQLOptions): GraphQLEndpoint {
  const yoga = createYoga<Record<string, never>, GraphQLContext>({
    schema,
    plugins: [limits, compilation(schema)],
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: DOCUMENTS }),
      errorCache: createLRUCache({ max: 50 }),
    },
    // Everything of HTTP is done here and in server.ts.
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    healthCheckEndpoint: '/graphql/health-is-elsewhere',
  });

  /** @throws AppError, GraphQLError or an AggregateError of those, for what keeps the operation from being run */
  async function run({ body, accept }: GraphQLCall, context: GraphQLContext) {
    const { query, operationName, variables } = readParams(body);
    const enveloped = yoga.getEnveloped(context);
    const document = enveloped.parse(query);
    const errors = enveloped.validate(schema, document);
    if (errors.length > 0) throw new AggregateError(errors);
    const operation = getOperationAST(document, operationName);
    if (!operation) throw badRequest('`operationName` must name one of the operations of the document.');
    const invalid = variablesError(schema, operation, variables);
    if (invalid) throw invalid;
    checkCost(schema, document, operation, variables);
    const contextValue = await enveloped.contextFactory();
    const args: ExecutionArgs = { schema, document, contextValue, variableValues: variables, operationName };
    if (operation.operation !== 'subscription') return enveloped.execute(args);
    if (!/\btext\/event-stream\b/i.test(accept ?? '')) {
      throw badRequest(
        'A subscription is answered with server-sent events: Accept must be text/event-stream.',
      );
    }
    return enveloped.subscribe(args);
  }

  async function handle(call: GraphQLCall, context: GraphQLContext): Promise<GraphQLAnswer> {
    const formatAll = (errors: readonly unknown[]) => errors.map((error) => formatError(error, context));
    const format = ({ data, errors }: ExecutionResult) =>
      errors ? { errors: formatAll(errors), data } : { data };
    try {
      const result = await run(call, context);
      if (Symbol.asyncIterator in result) {
        const body = eventStream(result, format, (error) => ({ errors: formatAll([error]) }));
        return { status: 200, headers: [], body };
      }
      const headers = Object.entries(context.responseHeaders).flat();
      return { status: 200, headers, body: JSON.stringify(format(result)) };
    } catch (error) {
      const errors = formatAll(error instanceof AggregateError ? error.errors : [error]);
      const unreadable = errors.some(({ extensions }) => extensions?.code === 'BAD_REQUEST');
      return { status: unreadable ? 400 : 200, headers: [], body: JSON.stringify({ errors }) };
    }
  }

  return { handle, ...graphiql(demoReadKey) };
}

function readParams(body: unknown) {
  if (Array.isArray(body)) throw badRequest('Operations cannot be sent in batches.');
  const { data, error } = params.safeParse(body);
  if (error) {
    const { details } = toAppError(error);
    throw new AppError(
      'BAD_REQUEST',
      'The body must be a JSON object of `query`, `operationName` and `variables`.',
      {
        details,
      },
    );
  }
  return { ...data, variables: data.variables ?? {} };
}

/** Bounds that hold before a document is parsed, and before it is validated. Yoga's cache keeps what they said. */
const limits: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ validateFn, setValidationFn }) {
    setValidationFn((schema, document, ...rest) => {
      const excess = documentExcess(document);
      return excess ? [excess] : validateFn(schema, document, ...rest);
    });
  },
};

function compilation(schema: GraphQLSchema): Plugin {
  let execute: ReturnType<typeof compiledExecutor> | undefined;
  return {
    onExecute({ executeFn, setExecuteFn }) {
      execute ??= compiledExecutor(schema, executeFn);
      setExecuteFn(execute);
    },
  };
}
