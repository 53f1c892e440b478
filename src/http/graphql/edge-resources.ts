import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { edgeResource } from '../../../schema/required-access.ts';
import type { KeyResource } from '../../shared/key-limits.ts';
import type { ValidOperation } from './operation.ts';
import { fragmentsOf } from './selection-merger.ts';

/** Returns a function that lists the resources of the edges below a root field of an operation, skipped ones included. */
export function edgeResourcesOf({ schema, document, operation }: ValidOperation) {
  const fragments = fragmentsOf(document);

  return (root: FieldNode): KeyResource[] => {
    const found = new Set<KeyResource>();
    /** Fragments are visited once, so that the walk is bounded by the document. */
    const spread = new Set<string>();

    function visitField(node: FieldNode, parent: GraphQLObjectType): void {
      const field = parent.getFields()[node.name.value];
      if (!field) return;
      const resource = edgeResource(field);
      if (resource !== null) found.add(resource);
      const type = getNamedType(field.type);
      if (node.selectionSet && isObjectType(type)) visit(node.selectionSet, type);
    }

    function visit({ selections }: SelectionSetNode, parent: GraphQLObjectType): void {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) visitField(selection, parent);
        else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, parent);
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = fragments.get(selection.name.value);
          if (fragment) visit(fragment, parent);
        }
      }
    }

    const type = schema.getRootType(operation.operation);
    const field = type?.getFields()[root.name.value];
    const returned = field && getNamedType(field.type);
    if (root.selectionSet && isObjectType(returned)) visit(root.selectionSet, returned);
    return [...found];
  };
}
