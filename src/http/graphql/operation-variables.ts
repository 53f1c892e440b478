import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { furtherIssues } from '../../errors/further-issues.ts';
import { InputIssues, isWithin, joinPath } from '../../errors/input-issues.ts';
import type { Services } from '../../features/services.ts';
import { isObject } from '../../platform/is-object.ts';
import { variableCheck } from '../input-check.ts';
import { MAX_ITEMS, maxItemsOf, tooManyItems } from '../validation-bounds.ts';
import type { RootField } from './root-fields.ts';

interface VariablesOptions {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  rootFields: readonly RootField[];
  /** As sent. */
  variables: Record<string, unknown>;
  /** Null or absent without a request. */
  services?: Services | null;
}

/** A variable of an operation. */
interface Variable {
  name: string;
  type: GraphQLInputType;
  /** Value as sent; undefined if absent. */
  value: unknown;
  isRequired: boolean;
}

/**
 * Checks the variables of an operation: the lengths of their lists before any item, then the values, until the
 * maximum number of details is reached.
 * @throws AppError VALIDATION_FAILED with each issue at its path (`input.events.0`)
 */
export function checkVariables(options: VariablesOptions): void {
  const variables = variablesOf(options);
  checkListLengths(variables, options.rootFields);

  const issues = new InputIssues();
  for (const { name, type, value, isRequired } of variables) {
    if (value === undefined) {
      if (isRequired) issues.add([name], 'Is required.');
      continue;
    }
    variableCheck(type)(value, name, issues);
  }
  if (issues.details.length > 0 && !issues.full) addFurtherIssues(options, issues);
  issues.throwIfAny();
}

/** Adds the issues of arguments that are variables, so that one response reports them all. */
function addFurtherIssues(
  { rootFields, variables, services = null }: VariablesOptions,
  issues: InputIssues,
): void {
  const found = issues.details.map(({ path }) => path);
  for (const { node, field } of rootFields) {
    const names = (node.arguments ?? []).flatMap(({ name, value }) =>
      value.kind === Kind.VARIABLE ? [[name.value, value.name.value] as const] : [],
    );
    const args = Object.fromEntries(names.map(([argument, variable]) => [argument, variables[variable]]));
    const foundInArguments = names.flatMap(([argument, variable]) =>
      found.filter((path) => isWithin(path, variable)).map((path) => argument + path.slice(variable.length)),
    );
    for (const { path, message } of furtherIssues(field, { args, found: foundInArguments, services }))
      issues.add(path, message);
  }
}

const variablesOf = ({ schema, operation, variables }: VariablesOptions): Variable[] =>
  (operation.variableDefinitions ?? []).flatMap(({ variable, type: typeNode, defaultValue }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) return [];
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return { name, type, value, isRequired: isNonNullType(type) && !defaultValue };
  });

/** @throws AppError VALIDATION_FAILED */
function checkListLengths(variables: readonly Variable[], rootFields: readonly RootField[]): void {
  const issues = new InputIssues();
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  for (const { node, field } of rootFields) {
    for (const { name, value } of node.arguments ?? []) {
      const variable = value.kind === Kind.VARIABLE ? byName.get(value.name.value) : undefined;
      const argument = field.args.find((candidate) => candidate.name === name.value);
      if (!variable || !argument) continue;
      byName.delete(variable.name);
      checkLengths(variable.value, {
        ...variable,
        maxItems: maxItemsOf(argument),
        path: variable.name,
        issues,
      });
    }
  }
  // Variables within literals and of nested fields.
  for (const variable of byName.values()) {
    checkLengths(variable.value, { ...variable, maxItems: MAX_ITEMS, path: variable.name, issues });
  }
  issues.throwIfAny();
}

interface LengthCheck {
  type: GraphQLInputType;
  /** Maximum number of items if the type is a list. */
  maxItems: number;
  path: string;
  issues: InputIssues;
}

function checkLengths(value: unknown, check: LengthCheck): void {
  const { type, maxItems, path, issues } = check;
  if (isNonNullType(type)) {
    checkLengths(value, { ...check, type: type.ofType });
  } else if (isListType(type)) {
    if (!Array.isArray(value)) checkLengths(value, { ...check, type: type.ofType });
    else if (value.length > maxItems) issues.add(path, tooManyItems(maxItems));
    else
      for (const [i, item] of value.entries())
        checkLengths(item, { ...check, type: type.ofType, path: joinPath(path, i) });
  } else if (isInputObjectType(type) && isObject(value)) {
    for (const field of Object.values(type.getFields()))
      checkLengths(value[field.name], {
        type: field.type,
        maxItems: maxItemsOf(field, type),
        path: joinPath(path, field.name),
        issues,
      });
  }
}
