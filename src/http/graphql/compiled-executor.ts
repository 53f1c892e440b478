import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Executes frequent queries by `compiledExecutor`. */
export function useCompiledQueries(schema: GraphQLSchema): Plugin {
  let execute: Execute | undefined;
  return {
    onExecute({ executeFn, setExecuteFn }) {
      execute ??= compiledExecutor(schema, executeFn);
      setExecuteFn(execute);
    },
  };
}

/** Executions after which a query is compiled; most ad-hoc queries run once. */
const COMPILE_AFTER = 3;

interface Entry {
  uses: number;
  /** Undefined until compilation is attempted; null if the query must be interpreted. */
  compiled: Execute | null | undefined;
}

/**
 * Creates an executor that compiles frequent queries to JavaScript. A compiled query is released with its document,
 * once the parser's cache evicts it.
 * @param interpret executes everything else
 */
export function compiledExecutor(schema: GraphQLSchema, interpret: Execute): Execute {
  const entries = new WeakMap<OperationDefinitionNode, Entry>();
  return (args) => {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== 'query') return interpret(args);
    const entry = entries.get(operation) ?? { uses: 0, compiled: undefined };
    entries.set(operation, entry);
    entry.uses += 1;
    if (entry.compiled === undefined && entry.uses >= COMPILE_AFTER) {
      entry.compiled = compile(schema, args.document, operation);
    }
    return (entry.compiled ?? interpret)(args);
  };
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Execute | null {
  if (!isCompilable(document, operation)) return null;
  const compiled = compileQuery(schema, document, operation.name?.value ?? '');
  if (!isCompiledQuery(compiled)) return null;
  return ({ contextValue, variableValues }) =>
    // No prototype: an omitted variable may have the name of an inherited property, such as `constructor`.
    compiled.query(undefined, contextValue, Object.assign(Object.create(null), variableValues));
}

/**
 * graphql-jit 0.8 deviates from graphql-js: variable defaults stay unparsed (a DateTime is text), and an omitted
 * variable within an object or list literal becomes null. It also compiles a fragment once per spread, so a short
 * document could take exponential time. Introspection is too rare to compile.
 */
function isCompilable(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (operation.variableDefinitions?.some(({ defaultValue }) => defaultValue)) return false;
  const spread = new Set<string>();
  let compilable = true;
  visit(document, {
    enter(node) {
      if (
        node.kind === Kind.OBJECT ||
        node.kind === Kind.LIST ||
        (node.kind === Kind.FIELD && /^__(?:schema|type)$/.test(node.name.value)) ||
        (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value))
      ) {
        compilable = false;
        return BREAK;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) spread.add(node.name.value);
      return undefined;
    },
  });
  return compilable;
}
