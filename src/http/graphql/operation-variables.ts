import { isInputType, isNonNullType, Kind, typeFromAST } from 'graphql';
import { argumentIssues } from '../../../schema/argument-issues.ts';
import { InputIssues } from '../../errors/input-issues.ts';
import type { Services } from '../../features/services.ts';
import { variableCheck } from '../input-check.ts';
import { maxItemsOf } from '../validation-bounds.ts';
import { beforeOperation, type Operation, type OperationPlugin, type RootField } from './operation.ts';

/** Checks the variables of an operation before it is executed. */
export const useVariableCheck = (): OperationPlugin =>
  beforeOperation(({ context }) => checkVariables(context.operation, context.services));

/**
 * Checks the types of an operation's variables. If some are wrong, the others are validated as well, so that one
 * response reports all issues; otherwise, the resolvers validate their arguments.
 * @throws AppError VALIDATION_FAILED with each issue at its path (`input.events.0`)
 */
export function checkVariables(
  { schema, operation, rootFields, variables }: Omit<Operation, 'cost'>,
  services: Services,
): void {
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) return;
  const passed = rootFields.map(variablesIn);
  const issues = new InputIssues();
  const coerced = new Map<string, unknown>();
  for (const { variable, type: typeNode, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) {
      const argument = passed.flat().find((use) => use.variable === name)?.argument;
      coerced.set(name, variableCheck(type, argument && maxItemsOf(argument))(value, name, issues));
    } else if (isNonNullType(type) && !defaultValue) issues.add([name], 'Is required.');
  }
  if (issues.details.length === 0) return;

  const further = rootFields.flatMap(({ field }, i) => {
    const uses = passed[i] ?? [];
    const args = Object.fromEntries(
      uses.map(({ argument, variable }) => [argument.name, coerced.get(variable)]),
    );
    /** An issue of a variable's type is at the name of the variable, any other at the name of the argument. */
    const isNew = (path: string) =>
      !uses.some(({ argument: { name }, variable }) =>
        path === name || path.startsWith(`${name}.`)
          ? issues.overlaps(variable + path.slice(name.length))
          : false,
      );
    return argumentIssues(field, args, services).filter(({ path }) => isNew(path));
  });
  for (const { path, message } of further) issues.add(path, message);
  issues.throwIfAny();
}

/** Returns the arguments of a root field whose whole value is a variable. */
const variablesIn = ({ node, field }: RootField) =>
  (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = field.args.find((candidate) => candidate.name === name.value);
    return argument && value.kind === Kind.VARIABLE ? [{ argument, variable: value.name.value }] : [];
  });
