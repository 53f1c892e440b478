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
import { AppError } from '../../errors.ts';

/** What a document may have; enough for the introspection query and for every page of the console many times over. */
export const LIMITS = {
  /** Characters of the text: documents are cached, and comments are no tokens. */
  characters: 65_536,
  tokens: 2_000,
  /** Nodes of the syntax tree above each other: a field is three of them, a list literal's two. */
  nesting: 120,
  /** Roots of introspection: each answers with the whole schema. */
  introspections: 2,
  aliases: 50,
  directives: 50,
  /** Fields at the root of an operation: each is a query or a write of its own. */
  rootFields: 20,
  /** Fields below each other, fragments followed. */
  depth: 16,
  /** Fields of the answer, each counted as often as its list may have rows. */
  cost: 20_000,
} as const;

const tooMany = (what: keyof typeof LIMITS, unit = what as string) =>
  new GraphQLError(`The document has more ${unit} than the ${LIMITS[what]} that it may have.`);

/**
 * Parses a document that is not too large to be parsed.
 * @throws GraphQLError when it is, or is no GraphQL
 */
export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: LIMITS.tokens });
  } catch (error) {
    // The parser descends as the document does: even 2,000 brackets can be too deep for the stack.
    if (error instanceof RangeError) throw new GraphQLError('The document is nested too deeply.');
    throw error;
  }
}

/** What makes a document too much to be validated at all, or null. It need not be valid. */
export function documentExcess(document: DocumentNode): GraphQLError | null {
  let nesting = 0;
  const count = { introspections: 0, aliases: 0, directives: 0 };
  visit(document, {
    enter(node, _key, _parent, _path, ancestors) {
      nesting = Math.max(nesting, ancestors.length);
      if (node.kind === Kind.FIELD && node.alias) count.aliases += 1;
      if (node.kind === Kind.FIELD && node.name.value === '__schema') count.introspections += 1;
      if (node.kind === Kind.DIRECTIVE) count.directives += 1;
      return nesting > LIMITS.nesting ? BREAK : undefined;
    },
  });
  if (nesting > LIMITS.nesting) return new GraphQLError('The document is nested too deeply.');
  for (const what of ['introspections', 'aliases', 'directives'] as const) {
    if (count[what] > LIMITS[what]) return tooMany(what);
  }
  return Math.max(0, ...rootFieldCounts(document)) > LIMITS.rootFields
    ? tooMany('rootFields', 'root fields')
    : null;
}

function rootFieldCounts({ definitions }: DocumentNode): number[] {
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  /** A fragment is executed once however often it is spread; one that contains itself is not valid, but counted. */
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

/**
 * Refuses a valid operation that is too deep or would cost too much.
 * @throws AppError BAD_REQUEST
 */
export function checkCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const { depth, complexity } = complexityFromQuery(
    { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    { schema, variables },
  );
  if (depth > LIMITS.depth) {
    throw new AppError('BAD_REQUEST', `The operation is ${depth} levels deep; it may be ${LIMITS.depth}.`);
  }
  if (complexity > LIMITS.cost) {
    throw new AppError(
      'BAD_REQUEST',
      `The operation would cost ${complexity}; it may cost ${LIMITS.cost}. Ask for fewer rows or fields.`,
    );
  }
}
