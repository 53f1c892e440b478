import {
  coerceInputValue,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { AppError } from '../../errors/app-error.ts';
import { InputIssues, MAX_DETAILS } from '../../errors/input-issues.ts';

/**
 * Checks an operation's variables; returns null if they are valid, else an error with each issue at the variable's
 * path (`input.events.0`). graphql-js reports paths in its messages only, so invalid variables are coerced a second
 * time to obtain them.
 */
export function variablesError(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): AppError | null {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return null;
  const { errors } = getVariableValues(schema, definitions, variables, { maxErrors: MAX_DETAILS });
  if (!errors) return null;

  const issues = new InputIssues();
  for (const { variable, type: typeNode, defaultValue } of definitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) {
      coerceInputValue(value, type, (path, _value, { message }) =>
        issues.add([name, ...path, ...fieldInMessage(message)], message),
      );
    } else if (isNonNullType(type) && !defaultValue) {
      issues.add([name], 'Is required.');
    }
  }
  return issues.toError();
}

/** Extracts the field from messages that graphql-js reports at the containing object: missing and unknown fields. */
const fieldInMessage = (message: string) =>
  /^Field "(\w+)" (?:of required type|is not defined)/.exec(message)?.slice(1, 2) ?? [];
