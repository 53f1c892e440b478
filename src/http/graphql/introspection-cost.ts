import {
  __Schema,
  __Type,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { ValidOperation } from './operation.ts';
import { SelectionMerger } from './selection-merger.ts';

/** Deprecated elements count whether or not they are selected. */
const ALL = { includeDeprecated: true };

/** Number of fields in the response to the complete introspection query. Counted once per schema: it takes milliseconds. */
const completeFields = new WeakMap<GraphQLSchema, number>();

/**
 * Returns the cost of the introspection in an operation. The complete introspection query costs half of the maximum,
 * however large the schema is; another one costs in proportion to the fields of its response.
 *
 * @param max counting stops beyond this cost
 */
export function introspectionCost(valid: ValidOperation, max: number): number {
  const { schema } = valid;
  const complete = completeFields.get(schema) ?? countFields(completeIntrospection(schema), Infinity);
  completeFields.set(schema, complete);
  const fieldsPerPoint = complete / (max / 2);
  return Math.ceil(countFields(valid, max * fieldsPerPoint) / fieldsPerPoint);
}

function completeIntrospection(schema: GraphQLSchema): ValidOperation {
  const document = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  const operation = getOperationAST(document) as OperationDefinitionNode;
  return { schema, document, operation, variables: {} };
}

/**
 * Returns the number of fields in the response below `__schema` and `__type`, by reading the schema as execution does:
 * lists, aliases and fragments count for each type that they are applied to. Fields that a directive skips count as well.
 */
function countFields({ schema, document, operation, variables }: ValidOperation, max: number): number {
  const merger = new SelectionMerger(document);
  const info = { schema } as GraphQLResolveInfo;
  let count = 0;

  function add(selectionSets: ReadonlySet<SelectionSetNode>, type: GraphQLObjectType, source: unknown): void {
    const fields = type.getFields();
    for (const { node, selectionSets: nested } of merger.merge(selectionSets).values()) {
      count += 1;
      if (count > max) return;
      const field = fields[node.name.value];
      const fieldType = field && getNamedType(field.type);
      if (!isObjectType(fieldType)) continue;
      const value: unknown = field?.resolve?.(source, ALL, null, info);
      for (const item of Array.isArray(value) ? value : [value]) if (item) add(nested, fieldType, item);
    }
  }

  for (const { node, selectionSets } of merger.merge(new Set([operation.selectionSet])).values()) {
    if (node.name.value === '__schema') add(selectionSets, __Schema, schema);
    if (node.name.value === '__type') {
      const type = schema.getType(String(typeName(node, operation, variables)));
      if (type) add(selectionSets, __Type, type);
    }
  }
  return count;
}

/** Returns the argument of a field `__type`; undefined if its variable has no value. */
function typeName(
  { arguments: [argument] = [] }: FieldNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): unknown {
  const value = argument?.value;
  if (value?.kind === Kind.STRING) return value.value;
  if (value?.kind !== Kind.VARIABLE) return undefined;
  const { value: name } = value.name;
  if (Object.hasOwn(variables, name)) return variables[name];
  const definition = variableDefinitions.find(({ variable }) => variable.name.value === name);
  return definition?.defaultValue?.kind === Kind.STRING ? definition.defaultValue.value : undefined;
}
