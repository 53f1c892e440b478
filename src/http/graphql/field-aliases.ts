import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { SelectionMerger } from './selection-merger.ts';

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
