import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** A root field as an operation selects it. */
export interface RootField {
  node: FieldNode;
  field: GraphQLField<unknown, unknown>;
}

interface ValidOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** Before coercion. */
  variables: Record<string, unknown>;
}

/** Returns the root fields that an operation executes, those of fragments included. */
export function rootFieldsOf({ schema, document, operation, variables }: ValidOperation): RootField[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  );
  const isTrue = booleansOf(operation, variables);
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): RootField[] =>
    selections.flatMap((node) => {
      if (isSkipped(node, isTrue)) return [];
      if (node.kind === Kind.FIELD) {
        const field = fields[node.name.value];
        return field ? [{ node, field }] : [];
      }
      if (node.kind === Kind.INLINE_FRAGMENT) return collect(node.selectionSet);
      const fragment = fragments.get(node.name.value);
      if (!fragment || spread.has(node.name.value)) return [];
      spread.add(node.name.value);
      return collect(fragment);
    });
  return collect(operation.selectionSet);
}

/** Returns a function that reads a boolean variable; undefined if it has no valid value. */
function booleansOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): (name: string) => unknown {
  const defaults = new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.BOOLEAN ? [[variable.name.value, defaultValue.value] as const] : [],
    ),
  );
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : defaults.get(name));
}

/** Evaluates `@skip` and `@include` before the variables are coerced: an invalid value does not skip the selection. */
const isSkipped = ({ directives = [] }: SelectionNode, variable: (name: string) => unknown): boolean =>
  directives.some(({ name, arguments: [condition] = [] }) => {
    if (!condition || (name.value !== 'skip' && name.value !== 'include')) return false;
    const { value } = condition;
    const on =
      value.kind === Kind.VARIABLE
        ? variable(value.name.value)
        : value.kind === Kind.BOOLEAN
          ? value.value
          : undefined;
    return on === (name.value === 'skip');
  });
