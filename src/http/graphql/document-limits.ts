import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type ParseOptions,
  parse,
  type SelectionSetNode,
  type Source,
  visit,
} from 'graphql';
import { AppError } from '../../errors/app-error.ts';
import { introspectionCost } from './introspection-cost.ts';

/** Limits of a document: several times what the introspection query and any console page require. */
export const DOCUMENT_LIMITS = {
  /** Characters of the text: documents are cached, and comments are not tokens. */
  characters: 65_536,
  tokens: 2_000,
  /** Depth of the syntax tree: a field is three nodes, a list literal two. */
  nesting: 120,
  /** `__schema` fields: each returns the whole schema. */
  introspections: 2,
  aliases: 50,
  directives: 50,
  /** Root fields of an operation: each is a separate query or write. */
  rootFields: 20,
  /** Depth of the fields, including those of fragments. */
  depth: 16,
  /**
   * Number of fields in the response, with every list at its page size or at a usual length; long texts count as
   * several fields. About the maximum size of a response in KiB. Fields of an introspection count as they are: all of
   * the schema is about half of the maximum.
   */
  cost: 20_000,
} as const;

const limitError = (name: string, count: number, max: number) =>
  new GraphQLError(`The document contains ${count} ${name}; the maximum is ${max}.`);

const nestingError = () => new GraphQLError('The document is nested too deeply.');

/**
 * Parses a document within the token limit.
 * @throws GraphQLError
 */
export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: DOCUMENT_LIMITS.tokens });
  } catch (error) {
    // The parser is recursive: even 2,000 brackets can overflow the stack.
    if (error instanceof RangeError) throw nestingError();
    throw error;
  }
}

/** Checks the limits that protect validation; returns null if a document, valid or not, is within them. */
export function documentLimitError(document: DocumentNode): GraphQLError | null {
  let nesting = 0;
  const counts = { introspections: 0, aliases: 0, directives: 0 };
  visit(document, {
    enter(node, _key, _parent, _path, ancestors) {
      nesting = Math.max(nesting, ancestors.length);
      if (node.kind === Kind.FIELD && node.alias) counts.aliases += 1;
      if (node.kind === Kind.FIELD && node.name.value === '__schema') counts.introspections += 1;
      if (node.kind === Kind.DIRECTIVE) counts.directives += 1;
      return nesting > DOCUMENT_LIMITS.nesting ? BREAK : undefined;
    },
  });
  if (nesting > DOCUMENT_LIMITS.nesting) return nestingError();
  for (const name of ['introspections', 'aliases', 'directives'] as const) {
    if (counts[name] > DOCUMENT_LIMITS[name]) return limitError(name, counts[name], DOCUMENT_LIMITS[name]);
  }
  const rootFields = Math.max(0, ...rootFieldCounts(document));
  return rootFields > DOCUMENT_LIMITS.rootFields
    ? limitError('root fields', rootFields, DOCUMENT_LIMITS.rootFields)
    : null;
}

function rootFieldCounts({ definitions }: DocumentNode): number[] {
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  /** Counts each fragment once, as execution does; fragments may form a cycle, since validation comes later. */
  const count = ({ selections }: SelectionSetNode, seen: Set<string>): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + count(selection.selectionSet, seen);
      const fragment = fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return sum;
      seen.add(selection.name.value);
      return sum + count(fragment.selectionSet, seen);
    }, 0);
  return definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [count(node.selectionSet, new Set())] : [],
  );
}

interface ValidOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
}

/**
 * Checks depth and cost of a validated operation.
 * @returns the cost
 * @throws AppError BAD_REQUEST
 */
export function checkCost({ schema, document, operation, variables }: ValidOperation): number {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const { depth, complexity } = complexityFromQuery(
    { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    { schema, variables },
  );
  if (depth > DOCUMENT_LIMITS.depth) {
    throw new AppError(
      'BAD_REQUEST',
      `Query depth ${depth} exceeds the maximum of ${DOCUMENT_LIMITS.depth}.`,
    );
  }
  const { cost: max } = DOCUMENT_LIMITS;
  const introspection = introspectionCost({ schema, document, operation, variables, max });
  if (introspection > max) {
    throw new AppError(
      'BAD_REQUEST',
      `Query cost exceeds the maximum of ${max}: the introspection returns more fields; request fewer types, fields or aliases.`,
    );
  }
  const cost = complexity + introspection;
  if (cost > max) {
    throw new AppError(
      'BAD_REQUEST',
      `Query cost ${cost} exceeds the maximum of ${max}; request fewer rows or fields.`,
    );
  }
  return cost;
}
