import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';

/** Returns the selection sets of a document's fragments by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, SelectionSetNode> =>
  new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  );

/** A field of the response, with the selection sets that execution merges for it. */
export interface MergedField {
  /** The first of the nodes, which have the same name and arguments. */
  node: FieldNode;
  selectionSets: ReadonlySet<SelectionSetNode>;
}

/** Fields of one parent by response key. */
export type MergedFields = ReadonlyMap<string, MergedField>;

/** Merges the selection sets of a document as execution does, each combination once. Directives are ignored. */
export class SelectionMerger {
  readonly #fragments: ReadonlyMap<string, SelectionSetNode>;
  readonly #ids = new Map<SelectionSetNode, number>();
  readonly #merged = new Map<string, MergedFields>();
  /** The same, by identity. */
  readonly #known = new WeakMap<ReadonlySet<SelectionSetNode>, MergedFields>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  /** Number of combinations that were merged. */
  get size(): number {
    return this.#merged.size;
  }

  /** Returns the fields of selection sets of one parent. */
  merge(selectionSets: ReadonlySet<SelectionSetNode>): MergedFields {
    const known = this.#known.get(selectionSets);
    if (known) return known;
    const key = this.#keyOf(selectionSets);
    const fields = this.#merged.get(key) ?? this.#fieldsOf(selectionSets);
    this.#merged.set(key, fields);
    this.#known.set(selectionSets, fields);
    return fields;
  }

  #fieldsOf(selectionSets: ReadonlySet<SelectionSetNode>): MergedFields {
    const fields = new Map<string, MergedField & { selectionSets: Set<SelectionSetNode> }>();
    const visited = new Set<SelectionSetNode>();
    const visit = (selectionSet: SelectionSetNode | undefined) => {
      if (!selectionSet || visited.has(selectionSet)) return;
      visited.add(selectionSet);
      for (const node of selectionSet.selections) {
        if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
        else if (node.kind === Kind.FRAGMENT_SPREAD) visit(this.#fragments.get(node.name.value));
        else {
          const key = (node.alias ?? node.name).value;
          const field = fields.get(key) ?? { node, selectionSets: new Set() };
          if (node.selectionSet) field.selectionSets.add(node.selectionSet);
          fields.set(key, field);
        }
      }
    };
    for (const selectionSet of selectionSets) visit(selectionSet);
    return fields;
  }

  #keyOf(selectionSets: ReadonlySet<SelectionSetNode>): string {
    const ids = [...selectionSets].map((node) => {
      const id = this.#ids.get(node) ?? this.#ids.size;
      this.#ids.set(node, id);
      return id;
    });
    return ids.sort((a, b) => a - b).join();
  }
}
