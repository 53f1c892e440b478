import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';

/** Maximum number of aliases of one field under one parent: each returns the field's rows again. */
const MAX_ALIASES_OF_FIELD = 5;
/** Maximum number of merged selection sets: fragments can combine them in any number of ways. */
const MAX_SELECTION_SETS = 5_000;

/** A field of the response, with the selection sets that execution merges for it. */
interface MergedField {
  name: string;
  selectionSets: Set<SelectionSetNode>;
}

/** Checks the number of aliases of each field of a valid document, as execution merges them; null if within the limit. */
export function fieldAliasesError({ definitions }: DocumentNode): GraphQLError | null {
  const fragments = new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  );
  const pending = definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [new Set([node.selectionSet])] : [],
  );
  const seen = new SeenSets();
  for (let selectionSets = pending.pop(); selectionSets; selectionSets = pending.pop()) {
    if (!seen.add(selectionSets)) continue;
    if (seen.size > MAX_SELECTION_SETS) return new GraphQLError('The document combines too many fragments.');
    const fields = merge(selectionSets, fragments);
    const aliases = new Map<string, number>();
    for (const [key, { name, selectionSets: nested }] of fields) {
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

/** Returns the fields of selection sets of one parent by response key. */
function merge(
  selectionSets: Iterable<SelectionSetNode>,
  fragments: ReadonlyMap<string, SelectionSetNode>,
): Map<string, MergedField> {
  const fields = new Map<string, MergedField>();
  const visited = new Set<SelectionSetNode>();
  const visit = (selectionSet: SelectionSetNode | undefined) => {
    if (!selectionSet || visited.has(selectionSet)) return;
    visited.add(selectionSet);
    for (const node of selectionSet.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else if (node.kind === Kind.FRAGMENT_SPREAD) visit(fragments.get(node.name.value));
      else {
        const key = (node.alias ?? node.name).value;
        const field = fields.get(key) ?? { name: node.name.value, selectionSets: new Set() };
        if (node.selectionSet) field.selectionSets.add(node.selectionSet);
        fields.set(key, field);
      }
    }
  };
  for (const selectionSet of selectionSets) visit(selectionSet);
  return fields;
}

/** Combinations of selection sets, each once. */
class SeenSets {
  readonly #ids = new Map<SelectionSetNode, number>();
  readonly #seen = new Set<string>();

  get size(): number {
    return this.#seen.size;
  }

  /** Returns false if the combination was added before. */
  add(selectionSets: Iterable<SelectionSetNode>): boolean {
    const ids = [...selectionSets].map((node) => {
      const id = this.#ids.get(node) ?? this.#ids.size;
      this.#ids.set(node, id);
      return id;
    });
    const key = ids.sort((a, b) => a - b).join();
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
