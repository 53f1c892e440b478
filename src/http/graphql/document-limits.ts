import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ParseOptions,
  parse,
  type SelectionSetNode,
  type Source,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../../errors/app-error.ts';
import { introspectionCost } from './introspection-cost.ts';
import { beforeOperation, type OperationPlugin, type ValidOperation } from './operation.ts';
import { fragmentsOf, SelectionMerger } from './selection-merger.ts';

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
  /** Depth of the fields, also in fragments. */
  depth: 16,
  /**
   * Number of fields in the response, with every list at its page size or at a usual length; long texts count as
   * several fields. About the maximum size of a response in KiB. The complete introspection is half of the maximum.
   */
  cost: 20_000,
} as const;

/** Cost of an operation that takes one point from the quota of the API key: a page of 50 rows takes a few. */
const COST_PER_POINT = 100;

/** Enforces the limits of a document before it is parsed, and before and after it is validated. Yoga caches their errors. */
export const useDocumentLimits = (): Plugin => ({
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
});

/** Enforces the limits of an operation before it is executed, and charges its cost to the quota of the API key. */
export const useCost = (): OperationPlugin =>
  beforeOperation(async ({ context: { operation, http } }) => {
    operation.cost = checkCost(operation);
    if (operation.cost > COST_PER_POINT) await http.charge?.(Math.ceil(operation.cost / COST_PER_POINT) - 1);
  });

const limitError = (name: string, count: number, max: number) =>
  new GraphQLError(`The document contains ${count} ${name}; the maximum is ${max}.`);

const nestingError = () => new GraphQLError('The document is nested too deeply.');

/** Parses a document within the token limit. @throws GraphQLError */
function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
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

function rootFieldCounts(document: DocumentNode): number[] {
  const fragments = fragmentsOf(document);
  /** Counts each fragment once, as execution does; fragments may form a cycle, since validation comes later. */
  const count = ({ selections }: SelectionSetNode, seen: Set<string>): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + count(selection.selectionSet, seen);
      const fragment = fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return sum;
      seen.add(selection.name.value);
      return sum + count(fragment, seen);
    }, 0);
  return document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [count(node.selectionSet, new Set())] : [],
  );
}

/** Maximum number of aliases of one field under one parent: each returns the field's rows again. */
const MAX_ALIASES_OF_FIELD = 5;
/** Maximum number of merged selection sets: fragments can combine them in any number of ways. */
const MAX_SELECTION_SETS = 5_000;

/** Checks the number of aliases of each field of a valid document, as execution merges them; null if within the limit. */
export function fieldAliasesError(document: DocumentNode): GraphQLError | null {
  const merger = new SelectionMerger(document);
  const pending: ReadonlySet<SelectionSetNode>[] = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [new Set([node.selectionSet])] : [],
  );
  for (let selectionSets = pending.pop(); selectionSets; selectionSets = pending.pop()) {
    const merged = merger.size;
    const fields = merger.merge(selectionSets);
    if (merger.size === merged) continue;
    if (merger.size > MAX_SELECTION_SETS)
      return new GraphQLError('The document combines too many fragments.');
    const aliases = new Map<string, number>();
    for (const [key, { node, selectionSets: nested }] of fields) {
      const name = node.name.value;
      if (nested.size > 0) pending.push(nested);
      if (key === name) continue;
      const count = (aliases.get(name) ?? 0) + 1;
      aliases.set(name, count);
      if (count > MAX_ALIASES_OF_FIELD)
        return new GraphQLError(
          `The document contains more than ${MAX_ALIASES_OF_FIELD} aliases of the field ${name}.`,
        );
    }
  }
  return null;
}

/**
 * Checks depth and cost of a validated operation.
 * @returns the cost
 * @throws AppError BAD_REQUEST
 */
export function checkCost(valid: ValidOperation): number {
  const { schema, document, operation, variables } = valid;
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const { depth, complexity } = complexityFromQuery(
    { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    { schema, variables },
  );
  if (depth > DOCUMENT_LIMITS.depth) {
    throw badRequest(`Query depth ${depth} exceeds the maximum of ${DOCUMENT_LIMITS.depth}.`);
  }
  const { cost: max } = DOCUMENT_LIMITS;
  const introspection = introspectionCost(valid, max);
  if (introspection > max) {
    throw badRequest(
      `Query cost exceeds the maximum of ${max}: the introspection returns more fields; request fewer types, fields or aliases.`,
    );
  }
  const cost = complexity + introspection;
  if (cost > max) {
    throw badRequest(`Query cost ${cost} exceeds the maximum of ${max}; request fewer rows or fields.`);
  }
  return cost;
}
