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

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Uses of a document after which it is worth compiling: most ad-hoc ones never come again. */
const HOT = 3;

interface Entry {
  uses: number;
  /** Undefined: not tried yet; null: to be interpreted for good. */
  run: Execute | null | undefined;
}

/**
 * Executes queries that come again and again as compiled JavaScript, everything else as ever.
 * What is compiled lives as long as its document does in the parser's cache.
 * @param interpret the executor for everything else
 */
export function compiledExecutor(schema: GraphQLSchema, interpret: Execute): Execute {
  const entries = new WeakMap<OperationDefinitionNode, Entry>();
  return (args) => {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== 'query') return interpret(args);
    const entry = entries.get(operation) ?? { uses: 0, run: undefined };
    entries.set(operation, entry);
    entry.uses += 1;
    if (entry.run === undefined && entry.uses >= HOT) entry.run = compile(schema, args.document, operation);
    return (entry.run ?? interpret)(args);
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
    // Without a prototype: a variable that is not given may be called `constructor`.
    compiled.query(undefined, contextValue, Object.assign(Object.create(null), variableValues));
}

/**
 * graphql-jit 0.8 does not serve everything as graphql-js does: defaults of variables arrive unparsed (a DateTime
 * as text), and a variable within an object or list literal that is not given arrives as null. It compiles a fragment
 * as often as it is spread, which would make a short document a long wait. And introspection is not worth it.
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
